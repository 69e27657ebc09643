/** Failures of the area "install": packages, their manifests and commands, services and triggers. */
import type { Fault } from "../faults.ts";
import { row } from "./failure.ts";

const listFaults = (faults: readonly Fault[]) =>
  faults.map(({ path, message }) => (path === "" ? `it ${message}` : `${path} ${message}`)).join("; ");

export const installFailures = {
  manifest_invalid: row<{ faults: readonly Fault[] }>({
    status: 422,
    message: ({ faults }) => `The manifest is not valid: ${listFaults(faults)}.`,
    nextStep: () => "Correct the named fields; docs/packages.md lists them all.",
    details: ({ faults }) => faults,
  }),
  trigger_invalid: row<{ faults: readonly Fault[] }>({
    status: 422,
    message: ({ faults }) => `The trigger is not valid: ${listFaults(faults)}.`,
    nextStep: () => "Correct the service that writes it; docs/real-time.md shows the format.",
    details: ({ faults }) => faults,
  }),
  project_invalid: row<{ file: string; faults: readonly Fault[] }>({
    status: 422,
    message: ({ file, faults }) => `${file} is not valid: ${listFaults(faults)}.`,
    nextStep: () => "Correct the named fields and pack the project again.",
    details: ({ faults }) => faults,
  }),
  archive_refused: row<{ why: string }>({
    status: 422,
    message: ({ why }) => `The archive is refused: ${why}.`,
    nextStep: () => "Nothing was installed. Build the package again from its source, or do not trust it.",
  }),
};
