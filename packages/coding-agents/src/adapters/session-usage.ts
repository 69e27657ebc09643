/**
 * Token counts from the session a program stores while running, for programs whose output has none, or too late for a limit.
 *
 * One record per call of the model. Which session is the run's own comes from its events, because some choose the id late.
 */
import type { AdapterEvent, LineReader, RunPlace, SideFile } from "@capstan/core/internal";
import { z } from "zod";
import { parseObject } from "../lines/json-line.ts";
import { type UsageStep, UsageTotal, uncached } from "./usage-total.ts";

/** Where a program stores its sessions, and how to parse a record of a call. */
export interface SessionUsage {
  readonly pattern: (place: RunPlace) => string;
  readonly isOf: (path: string, sessionId: string) => boolean;
  /** The call's own id, so that none counts twice, and its tokens; undefined for any other line. */
  readonly read: (record: unknown) => { readonly id: string; readonly step: UsageStep } | undefined;
}

/** A run whose usage comes from its session; `known` is the session's id where it is chosen before. */
export function withSessionUsage<Reader extends LineReader>(
  reader: Reader,
  { pattern, isOf, read }: SessionUsage,
  place: RunPlace,
  known?: string | undefined,
): Reader & { readonly sideFiles: readonly SideFile[] } {
  const total = new UsageTotal();
  const counted = new Set<string>();
  let sessionId = known;
  const sideFile: SideFile = {
    pattern: pattern(place),
    isOurs: (path) => sessionId !== undefined && isOf(path, sessionId),
    onLine(line): AdapterEvent[] {
      const call = read(parseObject(line));
      if (!call || counted.has(call.id)) return [];
      counted.add(call.id);
      return [total.add(call.step)];
    },
  };
  const onLine = (line: string) => {
    const step = reader.onLine(line);
    sessionId ??= step.events.map(sessionOf).find((id) => id !== undefined);
    // The session's counts are exact; later output must not replace them.
    if (counted.size === 0) return step;
    return { ...step, events: step.events.filter(({ type }) => type !== "usage") };
  };
  return { ...reader, onLine, sideFiles: [sideFile] };
}

const sessionOf = (event: AdapterEvent): string | undefined =>
  event.type === "run-started" || event.type === "session-known" ? event.sessionId : undefined;

const count = z.number().min(0).catch(0);

const geminiRecord = z.object({
  id: z.string(),
  type: z.literal("gemini"),
  tokens: z.object({
    input: count,
    output: count,
    cached: count,
    thoughts: count,
    tool: count,
    total: count,
  }),
});
const GEMINI_ID_CHARS = 8; // of the session's id, in the file's name

/** Over ACP, Gemini adds cached tokens to the input and leaves thoughts out; here it tells them apart. */
export const geminiUsage: SessionUsage = {
  pattern: ({ home, environment }) =>
    `${environment.GEMINI_CLI_HOME ?? home}/.gemini/tmp/*/chats/session-*.jsonl`,
  isOf: (path, sessionId) => path.endsWith(`-${sessionId.slice(0, GEMINI_ID_CHARS)}.jsonl`),
  read(record) {
    const { data } = geminiRecord.safeParse(record);
    if (!data) return undefined;
    const { input, output, cached, tool, total } = data.tokens;
    const thoughts = Math.max(data.tokens.thoughts, total - input - output - tool); // some providers count them in the total only
    const step = {
      inputTokens: uncached(input, cached) + tool,
      outputTokens: output + thoughts,
      cachedInputTokens: cached,
      thinkingTokens: thoughts,
    };
    return { id: data.id, step };
  },
};

const copilotRecord = z.object({
  type: z.literal("session.usage_record"),
  id: z.string(),
  data: z.object({
    usage: z.object({
      inputTokens: count,
      outputTokens: count,
      cacheReadTokens: count,
      cacheWriteTokens: count,
      reasoningTokens: count,
    }),
  }),
});

export const copilotUsage: SessionUsage = {
  pattern: ({ home, environment }) =>
    `${environment.COPILOT_HOME ?? `${home}/.copilot`}/session-state/*/events.jsonl`,
  isOf: (path, sessionId) => path.endsWith(`/${sessionId}/events.jsonl`),
  read(record) {
    const { data: found } = copilotRecord.safeParse(record);
    if (!found) return undefined;
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } =
      found.data.usage;
    const step = {
      inputTokens: uncached(inputTokens, cacheReadTokens),
      outputTokens,
      cachedInputTokens: cacheReadTokens,
      cacheWriteTokens,
      thinkingTokens: reasoningTokens,
    };
    return { id: found.id, step };
  },
};

const codexRecord = z.object({
  type: z.literal("token_usage_record"),
  payload: z.object({
    response_id: z.string(),
    usage: z.object({
      input_tokens: count,
      cached_input_tokens: count,
      cache_write_input_tokens: count,
      output_tokens: count,
      reasoning_output_tokens: count,
    }),
  }),
});

/** `exec` counts a resumed thread's whole history; the records are of single calls. */
export const codexUsage: SessionUsage = {
  pattern: ({ home, environment }) =>
    `${environment.CODEX_HOME ?? `${home}/.codex`}/sessions/*/*/*/rollout-*.jsonl`,
  isOf: (path, sessionId) => path.endsWith(`-${sessionId}.jsonl`),
  read(record) {
    const { data } = codexRecord.safeParse(record);
    if (!data) return undefined;
    const { usage, response_id: id } = data.payload;
    const step = {
      inputTokens: uncached(usage.input_tokens, usage.cached_input_tokens),
      outputTokens: usage.output_tokens,
      cachedInputTokens: usage.cached_input_tokens,
      cacheWriteTokens: usage.cache_write_input_tokens,
      thinkingTokens: usage.reasoning_output_tokens,
    };
    return { id, step };
  },
};
