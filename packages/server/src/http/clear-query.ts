/** Refuses ambiguous queries: unescaped bytes, or escapes that are not UTF-8. Every parser guesses differently. */
import { fail } from "@capstan/core";
import type { Context, MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

export const refuseUnclearQuery: MiddlewareHandler = async (c, next) => {
  const why = unclearQuery(sentAddress(c));
  return why === undefined ? next() : problem(c, fail("query_unreadable", { why }).failure);
};

/** As it was sent: a request's own `url` is already corrected. */
function sentAddress({ env, req }: Context): string {
  const { incoming } = (env ?? {}) as { incoming?: { url?: string } };
  return incoming?.url ?? req.url;
}

export function unclearQuery(address: string): string | undefined {
  const at = address.indexOf("?");
  if (at < 0) return undefined;
  const query = address.slice(at + 1);
  if (/[^\x21-\x7e]/.test(query)) return "it has characters that are not escaped";
  try {
    decodeURIComponent(query);
    return undefined;
  } catch {
    return "it has an escape that is no character of UTF-8";
  }
}
