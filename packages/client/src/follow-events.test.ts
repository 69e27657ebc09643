import type { RunEvent } from "@capstan/core";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { connect, type Fetch } from "./connection.ts";
import { type FollowState, followEvents, type SessionEvent } from "./follow-events.ts";

describe("following a session's events", () => {
  test("delivers every event once and in order, wherever connections break and whatever is sent twice", async () => {
    const breaks = fc.array(fc.record({ bytes: fc.nat(300), overlap: fc.nat(3) }), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 20 }), breaks, async (count, plan) => {
        const log = logOf(count);
        const { seen } = await follow(log, plan);
        expect(seen).toEqual(log);
      }),
    );
  });

  test("starts after the last event the caller knows", async () => {
    const { seen, asked } = await follow(logOf(5), [], 3);
    expect(seen.map(({ seq }) => seq)).toEqual([4, 5]);
    expect(asked[0]).toBe(3);
  });

  test("resumes after the last delivered event", async () => {
    const log = logOf(4);
    const { asked } = await follow(log, [{ bytes: lengthOf(log.slice(0, 2)) + 20, overlap: 0 }]);
    expect(asked).toEqual([0, 2]);
  });

  test("ends with the server's message when the session does not exist", async () => {
    const problem = { code: "not_found", message: "There is no session.", nextStep: "List them." };
    const states = await statesOf(async () => Response.json(problem, { status: 404 }));
    expect(states.at(-1)).toEqual({ phase: "closed", failure: { ...problem, status: 404 } });
  });

  test("waits and retries when the server does not answer", async () => {
    let calls = 0;
    const states = await statesOf(async () => {
      if (++calls < 3) throw new TypeError("connection refused");
      return Response.json({ code: "gone", message: "m", nextStep: "n" }, { status: 404 });
    });
    expect(states.map(({ phase }) => phase)).toEqual([
      ...["connecting", "waiting", "connecting", "waiting", "connecting", "closed"],
    ]);
    expect(states[1]).toMatchObject({ failure: { code: "server_unreachable" } });
  });

  test("treats a silent connection as dead", async () => {
    let calls = 0;
    const silent: Fetch = async (_, init) => {
      if (++calls > 1) return Response.json({ code: "x", message: "m", nextStep: "n" }, { status: 404 });
      return new Response(
        new ReadableStream({
          start: (controller) =>
            init?.signal?.addEventListener("abort", () => controller.error(new Error("aborted"))),
        }),
      );
    };
    const states = await statesOf(silent, 5);
    expect(states.map(({ phase }) => phase)).toEqual([
      ...["connecting", "open", "waiting", "connecting", "closed"],
    ]);
  });
});

const logOf = (count: number): SessionEvent[] =>
  Array.from({ length: count }, (_, index) => ({
    seq: index + 1,
    event: { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: `word ${index} ⚓` } satisfies RunEvent,
  }));

const wire = ({ seq, event }: SessionEvent) => `id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`;
const lengthOf = (events: SessionEvent[]) => new TextEncoder().encode(events.map(wire).join("")).length;

/** A server whose connections break after some bytes, and which may resend events. */
async function follow(log: SessionEvent[], plan: { bytes: number; overlap: number }[], after = 0) {
  const seen: SessionEvent[] = [];
  const asked: number[] = [];
  const serve: Fetch = async (_, init) => {
    const from = Number(new Headers(init?.headers).get("last-event-id"));
    const step = plan[asked.length];
    asked.push(from);
    const rest = log.filter(({ seq }) => seq > from - (step?.overlap ?? 0));
    const bytes = new TextEncoder().encode(`: hello\n\n${rest.map(wire).join("")}`);
    return new Response(bytes.subarray(0, step?.bytes));
  };
  await new Promise<void>((resolve) => {
    const following = followEvents(connect({ fetch: serve }), "s", {
      after,
      onEvent: (event) => seen.push(event),
      onState: ({ phase }) => {
        if (phase === "closed") resolve();
        if (phase !== "waiting") return;
        if (asked.length > plan.length) following.close();
        else queueMicrotask(() => following.wake());
      },
    });
  });
  return { seen, asked };
}

async function statesOf(fetch: Fetch, silenceMs = 60_000): Promise<FollowState[]> {
  const states: FollowState[] = [];
  const following = followEvents(connect({ fetch }), "s", {
    silenceMs,
    onEvent: () => {},
    onState: (state) => {
      states.push(state);
      if (state.phase === "waiting") queueMicrotask(() => following.wake());
    },
  });
  await following.done;
  return states;
}
