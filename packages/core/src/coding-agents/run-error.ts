/**
 * Why a run failed: one set of codes for all agents, whatever the program printed.
 *
 * The provider's HTTP status decides if there is one; otherwise the message text. An unrecognised message is kept
 * under `coding_agent_failed`. Messages for people contain no terminal colours and no protocol JSON.
 */
import { fail } from "../failures/fail.ts";
import type { Failure } from "../failures/failure.ts";

export const RUN_ERROR_CODES = [
  "coding_agent_not_installed",
  "coding_agent_not_logged_in",
  "coding_agent_version_untested",
  "coding_agent_folder_missing",
  "coding_agent_text_refused",
  "coding_agent_attachment_refused",
  "coding_agent_model_unknown",
  "coding_agent_session_unknown",
  "coding_agent_budget_refused",
  "coding_agent_rate_limited",
  "coding_agent_provider_down",
  "coding_agent_killed",
  "coding_agent_protocol_broken",
  "coding_agent_output_invalid",
  "coding_agent_failed",
] as const;
export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];

/** Codes that can be derived from a program's message; the runner sets the others itself. */
export type ReportedErrorCode = Extract<
  RunErrorCode,
  | "coding_agent_not_logged_in"
  | "coding_agent_model_unknown"
  | "coding_agent_session_unknown"
  | "coding_agent_rate_limited"
  | "coding_agent_provider_down"
  | "coding_agent_failed"
>;

export interface ReportedError {
  readonly message: string;
  /** The HTTP status of the model's provider. */
  readonly status?: number | undefined;
}

/** Classifies a program's error. */
export function runErrorCode({ message, status }: ReportedError): ReportedErrorCode {
  const known = status ?? statusIn(message);
  const byStatus = known === undefined ? undefined : codeOfStatus(known, message);
  return byStatus ?? WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? "coding_agent_failed";
}

/** Its row of the failure table. */
export function runErrorFailure(agent: string, error: ReportedError): Failure {
  return fail(runErrorCode(error), { agent, message: plainMessage(error.message), status: error.status })
    .failure;
}

function codeOfStatus(status: number, message: string): ReportedErrorCode | undefined {
  if (status === 401 || status === 403) return "coding_agent_not_logged_in";
  if (status === 429) return "coding_agent_rate_limited";
  if (status === 404 && /model/i.test(message)) return "coding_agent_model_unknown";
  if (status >= 500 && MODEL_UNKNOWN.test(message)) return "coding_agent_model_unknown"; // Gemini's ACP says 500 to everything
  if (status >= 500) return "coding_agent_provider_down";
  return undefined;
}

const MODEL_UNKNOWN =
  /models?\b.{0,80}(not found|not exist|unknown|not supported|unavailable|invalid)|(unknown|invalid|no such|cannot use this) model|ModelNotFound/i;

/** Claude Code names the file it looked for when the id is no UUID. */
const SESSION_UNKNOWN =
  /no (conversation|rollout|previous sessions?|session)( found|, task, or name matched)|\bsession [\w-]+ not found|\bsession not found|invalid session identifier|^ENOENT.{0,500}\.jsonl/i;

/** In order: the first that matches decides. */
const WORDS: readonly (readonly [RegExp, ReportedErrorCode])[] = [
  [SESSION_UNKNOWN, "coding_agent_session_unknown"],
  [/rate.?limit|too many requests|resource.?exhausted|quota|usage limit/i, "coding_agent_rate_limited"],
  [
    /not logged in|log ?in|authenticat|unauthori[sz]ed|api.?key|credential|no auth|access token|missing environment variable/i,
    "coding_agent_not_logged_in",
  ],
  [MODEL_UNKNOWN, "coding_agent_model_unknown"],
  [
    /overloaded|high demand|empty response|unexpected token '?<|failed to get (a )?response|retried \d+ times|server error|unavailable|internal server error|bad gateway|ECONNREFUSED|ECONNRESET|ENOTFOUND|fetch failed|(could not|cannot|unable to|failed to) connect|error sending request|(stream|connection|socket|network).{0,40}(closed|reset|refused|disconnected|error|hang up|terminated)|premature close|timed out|stream ended (before|without)|incomplete json/i,
    "coding_agent_provider_down",
  ],
];

/** An HTTP status mentioned in the text: `unexpected status 401`, `API error (429)`, `"code": 503`, `500 Internal ...`. */
export function statusIn(message: string): number | undefined {
  const found = /(?:status(?: code)?:? |API error \(|"(?:code|status)":\s*|^|HTTP )([45]\d\d)\b/im.exec(
    message,
  );
  return found ? Number(found[1]) : undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that terminals obey
const TERMINAL_CODES = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-_])/g;
const MAX_MESSAGE_CHARS = 2_000;

/** Human-readable text: without terminal codes, and only the message of a JSON document. */
export function plainMessage(text: string): string {
  const plain = text.replaceAll(TERMINAL_CODES, "").trim();
  return unwrapped(plain, MAX_DEPTH).slice(0, MAX_MESSAGE_CHARS);
}

/** The last output of a program that ended, for people; lines of its protocol are skipped. */
export function lastWords(output: string): string {
  const plain = plainMessage(output);
  return /^[{[]/.test(plain) ? "" : plain;
}

const MAX_DEPTH = 4; // a provider's JSON inside a program's JSON inside a protocol's

function unwrapped(text: string, depth: number): string {
  const start = text.search(/[{[]\s*["{]/);
  if (start === -1 || depth === 0) return text;
  const end = text.lastIndexOf(text[start] === "{" ? "}" : "]");
  const told = end > start ? messageInJson(text.slice(start, end + 1)) : undefined;
  if (told === undefined) return text;
  const before = text
    .slice(0, start)
    .replace(/[\s[({]+$/, "")
    .replace(/^\[(?!.*\])/, "")
    .trim();
  const inner = unwrapped(told, depth - 1);
  if (before === "" || inner.startsWith(before)) return inner;
  return /[:.]$/.test(before) ? `${before} ${inner}` : `${before}: ${inner}`;
}

function messageInJson(json: string): string | undefined {
  try {
    return messageIn(JSON.parse(json), MAX_DEPTH);
  } catch {
    return undefined;
  }
}

function messageIn(value: unknown, depth: number): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null || depth === 0) return undefined;
  if (Array.isArray(value)) return messageIn(value[0], depth - 1);
  const { message, error, detail, details, data } = value as Record<string, unknown>;
  for (const inner of [message, error, detail, details, data]) {
    const found = messageIn(inner, depth - 1);
    if (found !== undefined && found !== "") return found;
  }
  return undefined;
}
