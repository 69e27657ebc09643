/**
 * Reads OpenClaw's `--json`, recorded from 2026.9.6: one object when all is over, on one line or on many.
 *
 * Tools come as a summary, so calls have neither input nor output. The object is its own terminal event.
 */
import type { AdapterEvent, LineReader, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  contentText,
  type JsonObject,
  listOf,
  maybe,
  maybeFlag,
  maybeNumber,
  maybeText,
  parseObject,
  text,
} from "../lines/json-line.ts";
import { textDelta } from "./deltas.ts";
import { usage } from "./usage-total.ts";

const MAX_BUFFER_CHARS = 5_000_000; // the object with all its prompt statistics is some 10 kB

const used = maybe(
  z.object({
    input: maybeNumber,
    output: maybeNumber,
    cacheRead: maybeNumber,
    cacheWrite: maybeNumber,
    reasoningTokens: maybeNumber,
    cost: maybe(z.object({ total: maybeNumber })),
  }),
);
const toolSummary = maybe(z.object({ tools: listOf(text), failures: maybeNumber }));
const payloads = listOf(z.object({ text: maybeText, isError: maybeFlag }));

/** `openclaw agent exec`. */
const execution = z.object({
  ok: z.boolean(),
  status: maybeText,
  final: maybeText,
  payloads,
  usage: used,
  costUsd: maybeNumber,
  toolSummary,
  model: maybeText,
  sessionId: maybeText,
  error: maybe(z.object({ message: maybeText, kind: maybeText })),
});

/** `openclaw agent --local`. */
const localTurn = z.object({
  payloads,
  meta: z.object({
    aborted: maybeFlag,
    error: maybe(z.object({ message: maybeText, kind: maybeText })),
    stopReason: maybeText,
    toolSummary,
    agentMeta: maybe(z.object({ sessionId: maybeText, model: maybeText, usage: used })),
  }),
});

export function openclawReader(): LineReader {
  let buffer = "";
  return {
    onLine(line) {
      const alone = parseObject(line);
      if (alone) return { events: readObject(alone) };
      if (buffer === "" && line.trim() !== "{") return { events: [] };
      buffer = buffer.length > MAX_BUFFER_CHARS ? "" : `${buffer}${line}\n`;
      const whole = line === "}" ? parseObject(buffer) : undefined;
      if (!whole) return { events: [] };
      buffer = "";
      return { events: readObject(whole) };
    },
  };
}

function readObject(record: JsonObject): AdapterEvent[] {
  const run = execution.safeParse(record);
  if (run.success) return readExecution(run.data);
  const turn = localTurn.safeParse(record);
  return turn.success ? readLocalTurn(turn.data) : [];
}

function readExecution(run: z.output<typeof execution>): AdapterEvent[] {
  const { sessionId, model } = run;
  return [
    { type: "run-started", sessionId, model },
    ...summarised(run.toolSummary),
    ...textDelta(run.final || contentText(run.payloads)),
    ...usageOf(run.usage, run.costUsd),
    executionEnding(run),
  ];
}

function executionEnding({ ok, status = "", error, sessionId }: z.output<typeof execution>): RunEnded {
  if (ok) return { type: "run-ended", outcome: "done", sessionId };
  const message = error?.message ?? `OpenClaw ended with status ${status}.`;
  const base = { type: "run-ended" as const, sessionId, message };
  if (/timeout|timed_out/.test(`${status} ${error?.kind ?? ""}`))
    return { ...base, outcome: "limit", limit: "time" };
  if (/abort|cancel/.test(`${status} ${error?.kind ?? ""}`)) return { ...base, outcome: "aborted" };
  const digits = /HTTP (\d{3})|^([45]\d\d) /.exec(message)?.find((part) => /^\d{3}$/.test(part ?? ""));
  return { ...base, outcome: "failed", status: digits === undefined ? undefined : Number(digits) };
}

function readLocalTurn({ payloads, meta }: z.output<typeof localTurn>): AdapterEvent[] {
  const { agentMeta } = meta;
  const sessionId = agentMeta?.sessionId;
  const failed =
    meta.error !== undefined || meta.stopReason === "error" || payloads.some(({ isError }) => isError);
  const said = contentText(payloads);
  const ended: RunEnded = meta.aborted
    ? { type: "run-ended", outcome: "aborted", sessionId, message: "Interrupted." }
    : failed
      ? { type: "run-ended", outcome: "failed", sessionId, message: meta.error?.message ?? said }
      : { type: "run-ended", outcome: "done", sessionId };
  return [
    { type: "run-started", sessionId, model: agentMeta?.model },
    ...summarised(meta.toolSummary),
    ...textDelta(said),
    ...usageOf(agentMeta?.usage, agentMeta?.usage?.cost?.total),
    ended,
  ];
}

function summarised(summary: z.output<typeof toolSummary>): AdapterEvent[] {
  const isError = (summary?.failures ?? 0) > 0;
  return (summary?.tools ?? []).flatMap((tool, index): AdapterEvent[] => {
    const id = `summary-${index + 1}`;
    return [
      { type: "tool-started", id, tool, input: {} },
      { type: "tool-ended", id, tool, isError },
    ];
  });
}

function usageOf(spent: z.output<typeof used>, costUsd: number | undefined): AdapterEvent[] {
  if (!spent) return [];
  return [
    usage({
      inputTokens: spent.input,
      outputTokens: spent.output,
      cachedInputTokens: spent.cacheRead,
      cacheWriteTokens: spent.cacheWrite,
      thinkingTokens: spent.reasoningTokens,
      costUsd,
    }),
  ];
}
