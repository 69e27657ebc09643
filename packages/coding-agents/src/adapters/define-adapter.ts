/** Makes a built-in adapter of its manifest and of how it is opened; how it is read is in `readers.ts`. */
import type {
  AdapterRun,
  CliSessionStore,
  CodingAgentAdapter,
  CodingAgentManifest,
  RunOptions,
  RunPlace,
} from "@capstan/core/internal";
import { readerFor } from "./readers.ts";

export interface AdapterDefinition {
  readonly manifest: CodingAgentManifest;
  readonly environment: RegExp;
  readonly sessions?: CliSessionStore;
  readonly hidesNativeTools?: boolean;
  /** Which of the manifest's transports a run takes; the first one unless told. */
  readonly chooseTransport?: (options: RunOptions, nativeTools: "on" | "off") => string;
  open(options: RunOptions, place: RunPlace): AdapterRun;
}

export function defineAdapter({
  manifest,
  environment,
  sessions,
  hidesNativeTools = false,
  chooseTransport,
  open,
}: AdapterDefinition): CodingAgentAdapter {
  const { capabilities, commands, versionArgs, versionPattern, transports } = manifest;
  const { agent } = capabilities;
  return Object.freeze({
    name: agent,
    capabilities,
    commands,
    versionArgs,
    versionPattern: new RegExp(versionPattern, "m"),
    environment,
    hidesNativeTools,
    transports,
    ...(chooseTransport && { chooseTransport }),
    open,
    read: (sample: readonly unknown[]) => readerFor(agent, sample),
    ...(sessions && { sessions }),
  });
}
