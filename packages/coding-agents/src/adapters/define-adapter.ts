/** Makes a built-in adapter of its manifest, of how it is opened and of how its output is read. */
import type {
  AdapterRun,
  CliSessionStore,
  CodingAgentAdapter,
  CodingAgentManifest,
  LineReader,
  RunOptions,
  RunPlace,
  ThinkingDialect,
} from "@capstan/core/internal";
import type { AgentModels } from "../models/make-snapshot.ts";
import type { ModelSource } from "../models/model-sources.ts";
import { type AcpQuirks, acpReader, isAcp } from "./acp-reader.ts";

export interface AdapterDefinition {
  readonly manifest: CodingAgentManifest;
  readonly environment: RegExp;
  readonly stateVariables?: RegExp;
  readonly sessions?: CliSessionStore;
  readonly hidesNativeTools?: boolean;
  /** Which of the manifest's transports a run uses; default: the first. */
  readonly chooseTransport?: (options: RunOptions, nativeTools: "on" | "off") => string;
  /** How the CLI takes thinking parameters, in the order in which they are tried; none where it takes none. */
  readonly thinking: readonly ThinkingDialect[];
  /** The bundled list of its models, and where a fresh one comes from. */
  readonly models?: AgentModels;
  readonly modelSource?: ModelSource;
  /** Reads what the CLI writes in its own format; `sample` holds parsed lines, to detect which one. */
  readonly reader: (sample: readonly unknown[]) => LineReader;
  /** Where its ACP, or that of an adapter which translates the CLI to ACP, differs from the protocol's. */
  readonly quirks?: AcpQuirks;
  open(options: RunOptions, place: RunPlace): AdapterRun;
}

/** An adapter that ships, with what the lists of agents, models and documents are made of. */
export interface BuiltInAdapter
  extends CodingAgentAdapter,
    Pick<AdapterDefinition, "manifest" | "models" | "modelSource" | "thinking"> {
  readonly thinking: readonly ThinkingDialect[];
}

export function defineAdapter({
  manifest,
  environment,
  stateVariables,
  sessions,
  hidesNativeTools = false,
  chooseTransport,
  open,
  thinking,
  models,
  modelSource,
  reader,
  quirks = {},
}: AdapterDefinition): BuiltInAdapter {
  const { capabilities, commands, versionArgs, versionPattern, transports } = manifest;
  return Object.freeze({
    name: capabilities.agent,
    manifest,
    thinking,
    ...(models && { models }),
    ...(modelSource && { modelSource }),
    capabilities,
    commands,
    versionArgs,
    versionPattern: new RegExp(versionPattern, "m"),
    environment,
    hidesNativeTools,
    transports,
    ...(stateVariables && { stateVariables }),
    ...(chooseTransport && { chooseTransport }),
    open,
    // ACP messages carry `jsonrpc`, whichever agent wrote them.
    read: (sample: readonly unknown[]) => (sample.some(isAcp) ? acpReader(quirks) : reader(sample)),
    ...(sessions && { sessions }),
  });
}
