/**
 * The options of a coding agent run, with the issue's exact names.
 *
 * In-process callers pass a `RunOptions`; what comes from outside (REST, CLI, a file) goes through `parseRunOptions`.
 */
import { z } from "zod";
import { fail } from "../failures/fail.ts";
import { readInput } from "../faults.ts";
import type { Result } from "../result.ts";
import type { AgentName } from "./agent-name.ts";
import {
  APPROVAL_MODES,
  type ApprovalMode,
  THINKING_EFFORT_LEVELS,
  type ThinkingEffortLevel,
} from "./capabilities.ts";

/** An MCP server the agent connects to: a command on this machine, or an address. */
export type McpServerConfig =
  | {
      readonly name: string;
      readonly command: string;
      readonly args?: readonly string[] | undefined;
      readonly env?: Readonly<Record<string, string>> | undefined;
    }
  | {
      readonly name: string;
      readonly url: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** A file on disk, or its bytes in base64. */
export type Attachment =
  | { readonly path: string; readonly mimeType?: string | undefined; readonly name?: string | undefined }
  | { readonly data: string; readonly mimeType: string; readonly name?: string | undefined };

export type OutputFormat = "text" | "json";

export interface RunOptions {
  readonly agent: AgentName;
  readonly prompt: string;
  readonly model?: string | undefined;
  /** `true` requires streaming, `false` buffers, `auto` streams what it can and reports what it cannot. */
  readonly stream?: boolean | "auto" | undefined;
  /** Resume this session. */
  readonly sessionId?: string | undefined;
  /** Branch this session into a new one. */
  readonly forkSessionId?: string | undefined;
  readonly thinkingEffort?: ThinkingEffortLevel | undefined;
  readonly thinkingBudgetTokens?: number | undefined;
  /** Native thinking parameters; override what effort and budget produce. */
  readonly thinkingOverride?: Readonly<Record<string, unknown>> | undefined;
  /** `json`: the answer must be one JSON document; otherwise the run fails. */
  readonly outputFormat?: OutputFormat | undefined;
  /** A JSON Schema for the answer; implies `outputFormat: "json"`. */
  readonly outputSchema?: Readonly<Record<string, unknown>> | undefined;
  /** One of the manifest's `transports`; by default chosen from what the run needs. */
  readonly transport?: string | undefined;
  /** Skill folders or files, by path. */
  readonly skills?: readonly string[] | undefined;
  readonly mcpServers?: readonly McpServerConfig[] | undefined;
  readonly attachments?: readonly Attachment[] | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly approvalMode?: ApprovalMode | undefined;
  readonly systemPrompt?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxCostUsd?: number | undefined;
  readonly timeoutMs?: number | undefined;
}

const MAX_PROMPT_CHARS = 1_000_000; // about 250k tokens: larger than any model's context window
const MAX_ITEMS = 100;
const MAX_NAME_CHARS = 200;
const MAX_PATH_CHARS = 4_096; // PATH_MAX on Linux
export const MAX_ATTACHMENT_BYTES = 10_000_000; // providers refuse more, and base64 of it goes through a pipe
const MAX_ATTACHMENT_CHARS = 14_000_000; // the same in base64
const MAX_TIMEOUT_MS = 86_400_000; // a day

const name = z.string().min(1).max(MAX_NAME_CHARS);
const path = z.string().min(1).max(MAX_PATH_CHARS);
/** Half a character has no bytes: Codex and Copilot wait for ever for a line with one, others drop or replace it. */
const text = z
  .string()
  .max(MAX_PROMPT_CHARS)
  .refine((value) => value.isWellFormed(), {
    error: "must not contain half a character (a lone surrogate)",
  });
const environment = z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(MAX_PROMPT_CHARS));
// Ids reach command lines: one that starts with a dash would be read as an option.
const nativeId = z
  .string()
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.:/@+~[\]-]{0,199}$/, "must be an id, not an option or a path");

const mcpServer = z.union([
  z.strictObject({
    name,
    command: path,
    args: z.array(path).max(MAX_ITEMS).optional(),
    env: environment.optional(),
  }),
  z.strictObject({
    name,
    url: z.url({ protocol: /^https?$/ }),
    headers: z.record(z.string(), z.string()).optional(),
  }),
]);
const attachment = z.union([
  z.strictObject({ path, mimeType: name.optional(), name: name.optional() }),
  z.strictObject({ data: z.base64().max(MAX_ATTACHMENT_CHARS), mimeType: name, name: name.optional() }),
]);

/** Options from outside. Unknown fields are refused: a misspelt limit must not mean no limit. */
export const runOptionsSchema = z
  .strictObject({
    agent: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
    prompt: text.min(1),
    model: nativeId.optional(),
    stream: z.union([z.boolean(), z.literal("auto")]).optional(),
    sessionId: nativeId.optional(),
    forkSessionId: nativeId.optional(),
    thinkingEffort: z.enum(THINKING_EFFORT_LEVELS).optional(),
    thinkingBudgetTokens: z.int().min(0).optional(),
    thinkingOverride: z.record(z.string().max(MAX_NAME_CHARS), z.json()).optional(),
    outputFormat: z.enum(["text", "json"]).optional(),
    outputSchema: z.record(z.string().max(MAX_NAME_CHARS), z.json()).optional(),
    transport: z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/)
      .optional(),
    skills: z.array(path).max(MAX_ITEMS).optional(),
    mcpServers: z.array(mcpServer).max(MAX_ITEMS).optional(),
    attachments: z.array(attachment).max(MAX_ITEMS).optional(),
    cwd: path.optional(),
    env: environment.optional(),
    approvalMode: z.enum(APPROVAL_MODES).optional(),
    systemPrompt: text.optional(),
    maxTurns: z.int().min(1).optional(),
    maxCostUsd: z.number().positive().optional(),
    timeoutMs: z.int().min(1).max(MAX_TIMEOUT_MS).optional(),
  })
  .refine(({ sessionId, forkSessionId }) => sessionId === undefined || forkSessionId === undefined, {
    error: "resume a session or fork it, not both",
    path: ["forkSessionId"],
  });

/** Options from outside, checked and bounded. */
export function parseRunOptions(input: unknown): Result<RunOptions> {
  const read = readInput(runOptionsSchema, input);
  return read.ok ? read : fail("input_invalid", { where: read.where, issues: read.faults });
}

/** Working folder and environment are decided by the machine that runs the agent. */
const OF_THE_MACHINE = ["cwd", "env"] as const;

/** Options of a remote caller: as above, without the fields that the machine decides. */
export function parseRemoteRunOptions(input: unknown): Result<RunOptions> {
  const parsed = parseRunOptions(input);
  if (!parsed.ok) return parsed;
  const named = OF_THE_MACHINE.filter((key) => parsed.value[key] !== undefined);
  if (named.length === 0) return parsed;
  return fail("input_invalid", {
    where: `${named.join(" and ")}: decided by the machine that runs the agent`,
  });
}
