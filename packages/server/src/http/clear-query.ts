/**
 * Refuses ambiguous queries: unescaped bytes, or escapes that are not UTF-8, which every parser guesses differently;
 * a value without a name, which our parser drops; and, in our own API, a parameter without a value, which is what an
 * unset variable leaves: `?user=` would be everybody.
 */
import { fail } from "@capstan/core";
import type { Context, MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

export const refuseUnclearQuery: MiddlewareHandler = async (c, next) => {
  const why = unclearQuery(sentAddress(c));
  if (why !== undefined) return problem(c, fail("query_unreadable", { why }).failure);
  const empty = c.req.path.startsWith("/v1/") ? emptyParameter(new URL(c.req.url).searchParams) : undefined;
  if (empty === undefined) return next();
  return problem(c, fail("input_invalid", { where: `query.${empty} must not be empty` }).failure);
};

/** An empty search finds everything, as people expect. */
const emptyParameter = (query: URLSearchParams): string | undefined =>
  [...query].find(([name, value]) => value === "" && name !== "q")?.[0];

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
  if (/(^|&)=/.test(query)) return "it has a parameter without a name";
  try {
    decodeURIComponent(query);
    return undefined;
  } catch {
    return "it has an escape that is no character of UTF-8";
  }
}
