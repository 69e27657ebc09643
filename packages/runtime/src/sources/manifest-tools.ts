/** The actions of a manifest as tools: name, input schema, scopes and timeout. runtime/sources/cli.ts runs them. */

import type { Manifest, ManifestAction, ToolRisk } from "@capstan/core";
import { type ConnectionNeed, type Schema, zodSchema } from "@capstan/core";
import {
  type DeclaredReads,
  type DeclaredWrites,
  declaredFlow,
  isPath,
  type Parameter,
  readParameter,
  scopedReads,
  toolName,
} from "@capstan/core/internal";
import { z } from "zod";

const FILE_TIMEOUT_MS = 120_000; // seed 004: 30 s for queries, 120 s for file operations
const QUERY_TIMEOUT_MS = 30_000;
const MAX_STDIN_CHARS = 1_000_000;
const MAX_VALUE_CHARS = 100_000; // Linux refuses a single argument of 128 KiB

export type ActionInput = Readonly<Record<string, unknown>>;

export interface ManifestTool {
  /** `name_action` */
  readonly name: string;
  /** The subcommand or what the manifest fixes instead, a word per entry. */
  readonly subcommand: readonly string[];
  readonly description: string;
  /** Parameters the caller fills; without `--json`. */
  readonly parameters: readonly Parameter[];
  readonly input: Schema<ActionInput>;
  readonly scopes: readonly string[];
  /** Accounts of the user that it needs. */
  readonly connections: readonly ConnectionNeed[];
  readonly timeoutMs: number;
  /** True when the action lists `--json`: it is then always passed. */
  readonly asksForJson: boolean;
  readonly idempotent: boolean;
  readonly requiresApproval: boolean;
  /** Exit codes besides 0 that are an answer, with their meaning. */
  readonly exitCodes: Readonly<Record<string, string>>;
  readonly risk?: ToolRisk;
  readonly reads?: DeclaredReads;
  readonly writes?: DeclaredWrites;
  /** True when a parameter names a file, so that the call works on the session's files. */
  readonly worksOnFiles: boolean;
  /** True when it works without files, because text may come on standard input. */
  readonly readsStdin: boolean;
}

export function manifestTools(manifest: Manifest): ManifestTool[] {
  return manifest.actions.map((action) => manifestTool(manifest, action));
}

function manifestTool(manifest: Manifest, action: ManifestAction): ManifestTool {
  const listed = action.parameters.map(readParameter);
  const parameters = listed.filter(({ flag }) => flag !== "--json");
  const worksOnFiles = parameters.some(isPath);
  const seconds = action.timeout_seconds ?? manifest.timeout_seconds;
  return {
    name: toolName(manifest.name, action.name),
    subcommand: action.fixed_arguments ?? action.name.split(" "),
    description: action.description,
    parameters,
    input: inputSchema(parameters),
    scopes: action.required_scopes ?? [],
    connections: (manifest.connections ?? []).map(({ provider, scopes = scopesOf(manifest, action) }) => ({
      provider,
      scopes,
    })),
    timeoutMs: seconds ? seconds * 1000 : worksOnFiles ? FILE_TIMEOUT_MS : QUERY_TIMEOUT_MS,
    asksForJson: listed.length > parameters.length,
    idempotent: action.idempotent ?? false,
    requiresApproval: action.requires_approval ?? false,
    exitCodes: action.exit_codes ?? {},
    ...(action.risk && { risk: action.risk }),
    ...declaredFlow({ reads: scopedReads(scopesOf(manifest, action)), ...declaredFlow(action) }),
    worksOnFiles,
    readsStdin: parameters.some(({ stdin }) => stdin),
  };
}

const scopesOf = (manifest: Manifest, action: ManifestAction): string[] => [
  ...(manifest.required_scopes ?? []),
  ...(action.required_scopes ?? []),
];

function inputSchema(parameters: readonly Parameter[]): Schema<ActionInput> {
  return zodSchema(z.strictObject(Object.fromEntries(parameters.map((each) => [each.key, fieldOf(each)]))));
}

function fieldOf(parameter: Parameter): z.ZodType {
  const one = valueType(parameter);
  const many = parameter.repeatable ? z.union([one, z.array(one).min(1).max(1000)]) : one;
  const described = parameter.description ? many.describe(parameter.description) : many;
  const usual = parameter.default ?? (isOutputFolder(parameter) ? HERE : undefined);
  const annotated = usual === undefined ? described : described.meta({ default: usual });
  return parameter.required ? annotated : annotated.optional();
}

const HERE = "."; // the session's own folder, where the call runs

/** A required folder for results; a task that names none means the session's own. */
const isOutputFolder = ({ key, value, required, repeatable, choices, description }: Parameter): boolean =>
  required &&
  !repeatable &&
  !choices &&
  (value === "string" || value === "path") &&
  /^(out|output|target|dest|destination|result)s?_(dir|directory|folder)$/i.test(key) &&
  !/\bmust (?:not )?exist\b/i.test(description ?? "");

const text = z.string().max(MAX_VALUE_CHARS);
const VALUE_TYPES: Record<Parameter["value"], z.ZodType> = {
  string: text,
  path: text.min(1),
  integer: z.int(),
  number: z.number(),
  boolean: z.boolean(),
  any: z.union([text, z.number(), z.boolean()]),
};

function valueType({ choices, value, stdin }: Parameter): z.ZodType {
  if (stdin) return z.string().max(MAX_STDIN_CHARS);
  const [first, ...rest] = choices ?? [];
  if (first === undefined) return VALUE_TYPES[value];
  return z.literal([first, ...rest]);
}
