/**
 * Protects against DNS rebinding and cross-site requests: the Host must be one we serve, and a browser's Origin must be ours
 * or one that the operator allows. A page on another site can send requests to a loopback server and read the responses.
 */
import { fail } from "@capstan/core";
import type { Context, MiddlewareHandler, Next } from "hono";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";
import { corsHeaders, judgeOrigin, type OriginVerdict, preflight } from "./allowed-origins.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

export const isLoopback = (host: string): boolean => LOOPBACK.has(host) || host === "::1";

export function guardOrigin({
  HOST,
  CAPSTAN_PUBLIC_HOSTS,
  CAPSTAN_ALLOWED_ORIGINS,
}: Pick<Settings, "HOST" | "CAPSTAN_PUBLIC_HOSTS" | "CAPSTAN_ALLOWED_ORIGINS">): MiddlewareHandler {
  const known = new Set([
    ...LOOPBACK,
    HOST.toLowerCase(),
    ...CAPSTAN_PUBLIC_HOSTS.map((host) => host.toLowerCase()),
  ]);
  const anyHost = !isLoopback(HOST) && CAPSTAN_PUBLIC_HOSTS.length === 0; // keys protect it, and its name is unknown
  const serves = (host: string | undefined): boolean =>
    host !== undefined && (anyHost || known.has(hostName(host)));
  return async (c, next) => {
    const host = c.req.header("host");
    if (!serves(host)) return refuse(c, `This server does not serve "${host ?? ""}".`, HOST_STEP);
    const origin = c.req.header("origin");
    if (origin === undefined || sameOrigin(origin, host ?? "")) return next();
    return answerPage(c, next, origin);
  };
  async function answerPage(c: Context, next: Next, origin: string): Promise<Response | undefined> {
    const verdict = judgeOrigin(origin, c.req.path, CAPSTAN_ALLOWED_ORIGINS);
    if (verdict !== "allowed")
      return refuse(c, `Requests from ${origin} are not allowed.`, ORIGIN_STEPS[verdict]);
    if (c.req.method === "OPTIONS") return preflight(c, origin);
    await next();
    for (const [name, value] of Object.entries(corsHeaders(origin))) c.res.headers.set(name, value);
    return undefined;
  }
}

const HOST_STEP = "Open the server by its own address, or name the host in CAPSTAN_PUBLIC_HOSTS.";
const ORIGIN_STEPS: Readonly<Record<Exclude<OriginVerdict, "allowed">, string>> = {
  "unknown origin":
    "Open the server by its own address. To let pages of that origin use AG-UI, MCP, A2A, AI SDK or OpenAI clients, name it in CAPSTAN_ALLOWED_ORIGINS.",
  "not this path":
    "CAPSTAN_ALLOWED_ORIGINS opens AG-UI, MCP, A2A, AI SDK and OpenAI routes only; call the rest from your own server.",
};

function refuse(c: Parameters<MiddlewareHandler>[0], message: string, nextStep: string): Response {
  return problem(c, fail("forbidden", { message, nextStep }).failure);
}

export const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, "");

function sameOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
