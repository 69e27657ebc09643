/**
 * Accepts a client's token on routes that expect a caller: only at the address that the person allowed, and only for
 * that agent. `/mcp` checks tokens itself; everywhere else the token is invalid.
 */
import type { TokenRecord } from "@capstan/runtime";
import type { Caller } from "../http/caller.ts";
import { EVERY_TOOL } from "./client-scopes.ts";
import { resourceAt } from "./resources.ts";

export const isClientToken = (text: string): boolean => text.startsWith("access_");

export function clientCaller(record: TokenRecord, path: string, perMinute: number): Caller | undefined {
  const { login, agentId, userEmail, id } = record;
  if (login === undefined || !login.scopes.includes(EVERY_TOOL)) return undefined;
  const { origin } = new URL(login.resource);
  const asked = resourceAt(origin, path);
  if (asked === undefined || asked.surface === "mcp" || asked.url !== login.resource) return undefined;
  return { email: userEmail, rights: ["run"], key: id, perMinute, agentId, client: login.id };
}
