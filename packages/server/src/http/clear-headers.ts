/** Headers that would be read in part, or not at all: one that counts once and is given twice, another method, a coded body. */
import { type Failure, fail } from "@capstan/core";
import type { Context, MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

/** Node keeps the first or joins them, by name: either way the server would act on what the client did not say. */
const ONCE = new Set([
  "authorization",
  "content-encoding",
  "content-type",
  "host",
  "idempotency-key",
  "last-event-id",
  "origin",
]);
const OVERRIDES = ["x-http-method-override", "x-http-method", "x-method-override"];

export const refuseUnclearHeaders: MiddlewareHandler = async (c, next) => {
  const fault = unclear(c);
  return fault ? problem(c, fault) : next();
};

function unclear(c: Context): Failure | undefined {
  const repeated = repeatedIn(rawHeaders(c));
  if (repeated !== undefined)
    return fail("header_refused", { name: repeated, why: "is given twice" }).failure;
  const override = OVERRIDES.find((name) => c.req.header(name) !== undefined);
  if (override !== undefined)
    return fail("header_refused", {
      name: override,
      why: "is not supported: the method is the request's own",
    }).failure;
  const given = codingOf(c);
  return given === undefined ? undefined : fail("coding_unsupported", { given }).failure;
}

function repeatedIn(names: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const name of names) {
    if (ONCE.has(name) && seen.has(name)) return name;
    seen.add(name);
  }
  return undefined;
}

/** Names as they were sent; empty for a request that came from no socket. */
function rawHeaders({ env }: Context): string[] {
  const { incoming } = (env ?? {}) as { incoming?: { rawHeaders?: readonly string[] } };
  return (incoming?.rawHeaders ?? []).filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
}

function codingOf(c: Context): string | undefined {
  const encoding = c.req.header("content-encoding");
  if (encoding !== undefined && !/^(identity)?$/i.test(encoding)) return `content-encoding: ${encoding}`;
  const charset = /;\s*charset="?([^";\s]+)/i.exec(c.req.header("content-type") ?? "")?.[1];
  return charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset) ? undefined : `charset=${charset}`;
}
