/**
 * What a provider's response says about the account of a call: its token is no longer valid, or lacks a scope.
 *
 * By status, as RFC 6750 has it; or, for a provider whose refusals have status 200, by the body.
 */
import { parameter } from "./protected-server.ts";
import type { ConnectionProvider } from "./provider-table.ts";

export type AccountRefusal =
  | { readonly kind: "token" }
  | { readonly kind: "scope"; readonly scopes: string[] };

const LONGEST_REFUSAL = 10_000; // characters; a longer body is data
/** Slack's names: https://docs.slack.dev/authentication */
const TOKEN_ERRORS = ["token_expired", "token_revoked", "invalid_auth", "not_authed", "account_inactive"];

export async function accountRefusal(
  { oauth }: Pick<ConnectionProvider, "oauth">,
  response: Response,
): Promise<AccountRefusal | undefined> {
  const { status, headers } = response;
  if (status === 401) return { kind: "token" };
  if (status === 403) return scopeRefusal(headers.get("www-authenticate") ?? "");
  const isJson = headers.get("content-type")?.includes("json") === true;
  return oauth?.refusesIn === "body" && status === 200 && isJson ? refusalInBody(response) : undefined;
}

/** RFC 6750, 3.1: the provider names the scopes that the request needs. */
function scopeRefusal(challenge: string): AccountRefusal | undefined {
  if (!/\binsufficient_scope\b/.test(challenge)) return undefined;
  return { kind: "scope", scopes: listed(parameter(challenge, "scope")) };
}

/** `{"ok": false, "error": "missing_scope", "needed": "chat:write"}`. */
async function refusalInBody(response: Response): Promise<AccountRefusal | undefined> {
  const text = await response
    .clone()
    .text()
    .catch(() => ""); // the caller sees that it broke
  if (text.length > LONGEST_REFUSAL) return undefined;
  const { ok, error, needed } = parsed(text);
  if (ok !== false || typeof error !== "string") return undefined;
  if (TOKEN_ERRORS.includes(error)) return { kind: "token" };
  if (error !== "missing_scope") return undefined;
  return { kind: "scope", scopes: listed(typeof needed === "string" ? needed : undefined) };
}

const listed = (scopes = ""): string[] => scopes.split(/[\s,]+/).filter((scope) => scope !== "");

function parsed(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
