/** Reads a body until its end, timeout or size limit, and keeps what arrived. */
import { fail, ok, type Result } from "@capstan/core";

export interface BodyLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

export interface ReadBody {
  readonly bytes: Uint8Array;
  readonly ended: "whole" | "timeout" | "size";
}

export async function readBody(
  url: string,
  body: ReadableStream<Uint8Array> | null,
  { timeoutMs, maxBytes }: BodyLimits,
  signal: AbortSignal,
): Promise<Result<ReadBody>> {
  if (!body) return ok({ bytes: new Uint8Array(), ended: "whole" });
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  const stop = stopSignal(timeoutMs, signal);
  try {
    const ended = await collect(reader, chunks, maxBytes, stop.stopped);
    if (ended === "cancelled") return fail("cancelled", { what: `Fetching ${url}` });
    return ok({ bytes: joined(chunks, maxBytes), ended });
  } catch (error) {
    if (error instanceof Error && error.name === "BodyLimitError")
      return ok({ bytes: joined(chunks, maxBytes), ended: "size" });
    return fail("network_error", { url, why: error instanceof Error ? error.message : String(error) });
  } finally {
    stop.clear();
    // Closes the connection of a partly read body; the resulting error is ignored.
    reader.cancel().catch(() => undefined);
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  chunks: Uint8Array[],
  maxBytes: number,
  stopped: Promise<"timeout" | "cancelled">,
): Promise<ReadBody["ended"] | "cancelled"> {
  for (let size = 0; size <= maxBytes; ) {
    const next = await Promise.race([reader.read(), stopped]);
    if (typeof next === "string") return next;
    if (next.done) return "whole";
    chunks.push(next.value);
    size += next.value.length;
  }
  return "size";
}

function stopSignal(timeoutMs: number, signal: AbortSignal) {
  const { promise: stopped, resolve } = Promise.withResolvers<"timeout" | "cancelled">();
  const onAbort = () => resolve("cancelled");
  const timer = setTimeout(() => resolve("timeout"), timeoutMs);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  const clear = () => {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
  };
  return { stopped, clear };
}

function joined(chunks: readonly Uint8Array[], maxBytes: number): Uint8Array {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const bytes = new Uint8Array(Math.min(size, maxBytes));
  let at = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, bytes.length - at);
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
