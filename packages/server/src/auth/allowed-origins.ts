/**
 * Pages of other origins may use the protocols made for them, and only if the operator lists their origin.
 * The rest of the API stays closed to them: a page must never control the server with a visitor's rights.
 */
import type { Context } from "hono";

/** The agent protocols, and the event stream that AG-UI clients resume from. */
const OPEN_TO_PAGES =
  /^\/(mcp|openai\/v1\/.+|\.well-known\/agent-card\.json|v1\/agents\/[^/]+\/(ag-ui|a2a|ai-sdk)(\/.*)?|v1\/sessions\/[^/]+\/events)$/;

/** What OAuth clients call before they have a token. It uses no caller's rights, so every page may. */
const OPEN_TO_EVERY_PAGE =
  /^\/(\.well-known\/oauth-(authorization-server|protected-resource)(\/.*)?|token|register|revoke)$/;

const EXPOSED =
  "x-capstan-session, x-capstan-run, x-capstan-after, x-capstan-call, x-capstan-task, mcp-session-id, www-authenticate, retry-after";
const PREFLIGHT_SECONDS = 600;

export type OriginVerdict = "allowed" | "not this path" | "unknown origin";

export function judgeOrigin(origin: string, path: string, allowed: readonly string[]): OriginVerdict {
  if (OPEN_TO_EVERY_PAGE.test(path)) return "allowed";
  if (!allowed.includes(origin.toLowerCase())) return "unknown origin";
  return OPEN_TO_PAGES.test(path) ? "allowed" : "not this path";
}

/** Answers a browser's preflight request: only the headers that the protocols need, and no cookies. */
export function preflight(c: Context, origin: string): Response {
  return c.body(null, 204, {
    ...corsHeaders(origin),
    "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers":
      c.req.header("access-control-request-headers") ?? "authorization, content-type",
    "access-control-max-age": String(PREFLIGHT_SECONDS),
  });
}

export const corsHeaders = (origin: string): Record<string, string> => ({
  "access-control-allow-origin": origin,
  "access-control-expose-headers": EXPOSED,
  vary: "origin",
});
