/**
 * Against DNS rebinding and cross-site requests: the Host must be one we serve, and a browser's Origin must be our own.
 * A page on another site can send requests to a loopback server; without this it could read the answers.
 */
import { fail } from "@capstan/core";
import type { MiddlewareHandler } from "hono";
import { problem } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);

export const isLoopback = (host: string): boolean => LOOPBACK.has(host) || host === "::1";

export function guardOrigin({
  HOST,
  CAPSTAN_PUBLIC_HOSTS,
}: Pick<Settings, "HOST" | "CAPSTAN_PUBLIC_HOSTS">): MiddlewareHandler {
  const known = new Set([
    ...LOOPBACK,
    HOST.toLowerCase(),
    ...CAPSTAN_PUBLIC_HOSTS.map((host) => host.toLowerCase()),
  ]);
  const anyHost = !isLoopback(HOST) && CAPSTAN_PUBLIC_HOSTS.length === 0; // keys guard it, and its name is not known
  const serves = (host: string | undefined): boolean =>
    host !== undefined && (anyHost || known.has(hostName(host)));
  return async (c, next) => {
    const host = c.req.header("host");
    if (!serves(host)) return refuse(c, `this server is not "${host ?? ""}"`);
    const origin = c.req.header("origin");
    if (origin === undefined || sameOrigin(origin, host ?? "")) return next();
    return refuse(c, `requests from ${origin} are not allowed`);
  };
}

function refuse(c: Parameters<MiddlewareHandler>[0], message: string): Response {
  const nextStep = "Open the server by its own address, or name the host in CAPSTAN_PUBLIC_HOSTS.";
  return problem(c, fail("forbidden", { message, nextStep }).failure);
}

export const hostName = (host: string): string => host.toLowerCase().replace(/:\d+$/, "");

function sameOrigin(origin: string, host: string): boolean {
  return URL.canParse(origin) && new URL(origin).host === host.toLowerCase();
}
