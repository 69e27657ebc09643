/** Failures of the area "install": packages, their manifests and commands, services and triggers. */
import { row } from "./failure.ts";

interface Fault {
  readonly path: string;
  readonly message: string;
}
const listFaults = (faults: readonly Fault[]) =>
  faults.map(({ path, message }) => (path === "" ? `it ${message}` : `${path} ${message}`)).join("; ");

export const installFailures = {
  manifest_invalid: row<{ faults: readonly Fault[] }>({
    status: 422,
    message: ({ faults }) => `The manifest is not valid: ${listFaults(faults)}.`,
    nextStep: () => "Correct the named fields; docs/packages.md lists them all.",
    details: ({ faults }) => faults,
  }),
};
