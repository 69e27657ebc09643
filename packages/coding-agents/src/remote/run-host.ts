/**
 * The server side of a remote client: runs for callers over HTTP. Framework-free; a route parses, calls, and responds.
 *
 * `start` returns the run's id and its events as server-sent events; `command` reaches the run by that id. A run whose reader
 * disconnected continues until it ends or is stopped: closing a stream does not stop it.
 */
import { fail, ok, type Result } from "@capstan/core";
import { type CodingAgentEvent, type RunCommand, type RunOptions, readInput } from "@capstan/core/internal";
import { z } from "zod";
import type { CodingAgentClient } from "../coding-agent-client.ts";
import type { RunHandle } from "../runner/run-handle.ts";

const MAX_RUNS = 100; // each is a process of some hundred megabytes

export interface RunHost {
  /** Throws what `client.run` throws. */
  start(options: RunOptions): Result<HostedRun>;
  command(runId: string, body: unknown): Promise<Result<null>>;
  /** Stops every run; for a shutdown. */
  close(): Promise<void>;
}

export interface HostedRun {
  readonly id: string;
  readonly events: AsyncIterable<CodingAgentEvent>;
  /** The body of a `text/event-stream` answer. */
  readonly stream: ReadableStream<Uint8Array>;
}

export const runCommandSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("approve"), id: z.string().max(200), input: z.unknown().optional() }),
  z.object({ type: z.literal("deny"), id: z.string().max(200), reason: z.string().max(10_000).optional() }),
  z.object({ type: z.literal("send"), text: z.string().min(1).max(1_000_000) }),
  z.object({ type: z.literal("interrupt") }),
  z.object({ type: z.literal("abort") }),
]);

export function createRunHost(client: CodingAgentClient): RunHost {
  const runs = new Map<string, RunHandle>();
  return {
    start(options) {
      if (runs.size >= MAX_RUNS) return fail("too_many_coding_runs", { most: MAX_RUNS });
      const handle = client.run(options, { confined: true });
      runs.set(handle.id, handle);
      const events = kept(handle, () => runs.delete(handle.id));
      return ok({ id: handle.id, events, stream: eventStream(handle.id, events) });
    },
    async command(runId, body) {
      const read = readInput(runCommandSchema, body);
      if (!read.ok) return fail("input_invalid", { where: read.where, issues: read.faults });
      const command = read.value;
      const run = runs.get(runId);
      if (!run) return fail("run_command_refused", { command: command.type });
      return dispatch(run, command).then(
        () => ok(null),
        () => fail("run_command_refused", { command: command.type }),
      );
    },
    async close() {
      const open = [...runs.values()];
      await Promise.all(open.map((run) => run.abort()));
      await Promise.all(open.map((run) => run.result));
    },
  };
}

function dispatch(run: RunHandle, command: RunCommand | { type: "abort" }): Promise<void> {
  switch (command.type) {
    case "approve":
      return run.approve(command.id, command.input);
    case "deny":
      return run.deny(command.id, command.reason);
    case "send":
      return run.send(command.text);
    case "interrupt":
      return run.interrupt();
    case "abort":
      return run.abort();
  }
}

async function* kept(handle: RunHandle, onEnd: () => void): AsyncIterable<CodingAgentEvent> {
  void handle.result.finally(onEnd); // also when nobody reads to the end
  yield* handle;
}

function eventStream(id: string, events: AsyncIterable<CodingAgentEvent>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const frame = (name: string, data: unknown) =>
    encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  const iterator = events[Symbol.asyncIterator]();
  return new ReadableStream({
    start: (controller) => controller.enqueue(frame("run", { id })),
    async pull(controller) {
      const next = await iterator.next();
      if (next.done) controller.close();
      else controller.enqueue(frame(next.value.type, next.value));
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}
