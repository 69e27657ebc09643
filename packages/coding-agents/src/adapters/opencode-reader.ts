/**
 * Reads `opencode run --format json`, recorded from 1.18.33: whole parts, tools only when they have ended, no result line.
 *
 * The last `step_finish` is the terminal event: any reason but `tool-calls`, after which another step must follow. One
 * exception: a tool that the user's rules rejected stops the run after its step.
 */
import type { AdapterEvent, LineReader, RunEnded } from "@capstan/core/internal";
import { z } from "zod";
import {
  anything,
  asText,
  maybe,
  maybeNumber,
  maybeText,
  parseObject,
  type ReadRecord,
  rowsFor,
  text,
} from "../lines/json-line.ts";
import { textDelta, thinkingDelta } from "./deltas.ts";
import { SeenIds } from "./seen-ids.ts";
import { UsageTotal } from "./usage-total.ts";

interface State {
  readonly usage: UsageTotal;
  /** Parts have ids; one that is printed twice counts once. */
  readonly seen: SeenIds;
  rejected: boolean;
  /** The step's own reason, once it is over. */
  reason: string | undefined;
}

export function opencodeReader(): LineReader {
  const state: State = { usage: new UsageTotal(), seen: new SeenIds(), rejected: false, reason: undefined };
  return {
    onLine(line) {
      const record = parseObject(line);
      const events = record && ROWS[asText(record.type) ?? ""]?.(record, state);
      if (!events) return { events: [] };
      const sessionId = asText(record.sessionID);
      const started: AdapterEvent[] = sessionId === undefined ? [] : [{ type: "run-started", sessionId }];
      return { events: [...started, ...events] };
    },
  };
}

const row = rowsFor<State>();
const REJECTED = /rejected permission|denied by|prevents you from using/i;
const written = { part: z.object({ id: maybeText, text }) };

const ROWS: Readonly<Record<string, ReadRecord<State>>> = {
  __proto__: null as never, // a line may name "constructor"
  step_start: row({ part: maybe(z.object({ id: maybeText })) }, ({ part }, state) => {
    if (!state.seen.isNew(part?.id)) return [];
    state.rejected = false;
    state.reason = undefined;
    return [{ type: "turn-opened" }, { type: "model-turn" }];
  }),
  text: row(written, ({ part }, { seen }) => (seen.isNew(part.id) ? textDelta(part.text) : [])),
  reasoning: row(written, ({ part }, { seen }) => (seen.isNew(part.id) ? thinkingDelta(part.text) : [])),
  tool_use: row(
    {
      part: z.object({
        tool: text,
        callID: text,
        state: z.object({
          status: text,
          input: anything,
          output: maybeText,
          error: maybeText,
          metadata: maybe(z.object({ exit: maybeNumber })),
        }),
      }),
    },
    ({ part: { tool, callID: id, state: call } }, state) => {
      const denied = call.status === "error" && REJECTED.test(call.error ?? "");
      state.rejected ||= denied;
      return [
        { type: "tool-started", id, tool, input: call.input ?? {} },
        {
          type: "tool-ended",
          id,
          tool,
          output: call.output ?? call.error ?? "",
          isError: call.status === "error" || (call.metadata?.exit ?? 0) !== 0,
          ...(denied && { denied }),
        },
        ...(denied ? ending(state) : []),
      ];
    },
  ),
  step_finish: row(
    {
      part: z.object({
        id: maybeText,
        reason: maybeText,
        cost: maybeNumber,
        tokens: maybe(
          z.object({
            input: maybeNumber,
            output: maybeNumber,
            reasoning: maybeNumber,
            cache: maybe(z.object({ read: maybeNumber, write: maybeNumber })),
          }),
        ),
      }),
    },
    ({ part: { id, reason = "unknown", cost, tokens } }, state) => {
      if (!state.seen.isNew(id)) return [];
      const used = state.usage.add({
        inputTokens: tokens?.input,
        outputTokens: (tokens?.output ?? 0) + (tokens?.reasoning ?? 0),
        cachedInputTokens: tokens?.cache?.read,
        cacheWriteTokens: tokens?.cache?.write,
        thinkingTokens: tokens?.reasoning,
        costUsd: cost,
      });
      state.reason = reason;
      return [used, ...ending(state)];
    },
  ),
  error: row(
    {
      error: z.object({
        name: maybeText,
        data: maybe(z.object({ message: maybeText, statusCode: maybeNumber })),
      }),
    },
    ({ error: { name = "error", data } }) => {
      const message = data?.message ?? name;
      if (name === "MessageAbortedError") return [{ type: "run-ended", outcome: "aborted", message }];
      return [{ type: "error-seen", message, status: data?.statusCode }];
    },
  ),
};

function ending({ reason, rejected }: State): RunEnded[] {
  if (reason === undefined || reason === "unknown" || (reason === "tool-calls" && !rejected)) return [];
  if (reason === "length") {
    return [
      { type: "run-ended", outcome: "limit", limit: "tokens", message: "The model reached its token limit." },
    ];
  }
  if (reason === "error" || reason === "content-filter") {
    return [{ type: "run-ended", outcome: "failed", message: `The model stopped: ${reason}.` }];
  }
  return [{ type: "run-ended", outcome: "done" }];
}
