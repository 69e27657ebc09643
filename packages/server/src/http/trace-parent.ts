/**
 * The trace that a request belongs to, from W3C's `traceparent` header. A malformed header is ignored, as W3C
 * requires.
 */
import type { Context } from "hono";

const TRACE_PARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}/;

export function traceParent(c: Pick<Context, "req">): string | undefined {
  const header = c.req.header("traceparent")?.trim();
  return header !== undefined && TRACE_PARENT.test(header) ? header.slice(0, 55) : undefined;
}
