/**
 * Who a key, a login's token or a client's token belongs to. No credential grants more than its owner's current
 * rights.
 */
import { boundedRights } from "@capstan/core/internal";
import type {
  Database,
  KeyRecord,
  KeyStore,
  LoginStore,
  PeopleStore,
  Standing,
  TokenStore,
} from "@capstan/runtime";
import type { Caller } from "../http/caller.ts";
import { clientCaller } from "./client-caller.ts";

const KEPT_MS = 1000; // a revoked key or role stops working within this time, even on a process that missed the notification

export const NOBODY: Caller = { email: "nobody@localhost", rights: [], key: "none", perMinute: 0 };

export type Identity = Caller | "unknown key" | "no key";

/** Someone who signed in, and the token that replaces the one of their cookie. */
export interface SignedIn extends Caller {
  readonly replacedBy?: { readonly token: string; readonly expiresAt: Date };
}

export interface KnownCallerParts {
  readonly keys: Pick<KeyStore, "find">;
  readonly tokens: Pick<TokenStore, "find">;
  readonly logins: Pick<LoginStore, "find">;
  readonly people: Pick<PeopleStore, "standing">;
  readonly perMinute: number;
  readonly now: () => number;
  /** Notified of changed roles, rules and directories, here or on another process. */
  readonly policyChanges?: Pick<Database["policyChanges"], "onChange">;
}

export interface KnownCallers {
  ofKey(key: string): Promise<Identity>;
  ofLogin(token: string): Promise<SignedIn | "unknown key">;
  ofClient(token: string, path: string): Promise<Identity>;
}

export function knownCallers({
  keys,
  tokens,
  logins,
  people,
  perMinute,
  now,
  policyChanges,
}: KnownCallerParts): KnownCallers {
  const onChange = (forget: () => void) => policyChanges?.onChange(forget);
  const findKey = keptBriefly((key) => keys.find(key), now, onChange);
  const standingOf = keptBriefly((email) => people.standing(email), now, onChange);
  return {
    async ofKey(key) {
      const record = await findKey(key);
      return record ? callerOf(record, await standingOf(record.owner)) : "unknown key";
    },
    async ofLogin(token) {
      const found = await logins.find(token);
      if (!found) return "unknown key";
      const standing = await standingOf(found.login.userEmail);
      return standing.isDisabled ? "unknown key" : signedIn(found, standing, perMinute);
    },
    async ofClient(token, path) {
      if (path === "/mcp") return NOBODY; // checked there
      const record = await tokens.find(token);
      const { isActive, right } = record ? await standingOf(record.userEmail) : {};
      if (!record || !isActive) return "unknown key";
      const caller = clientCaller(record, path, perMinute);
      return caller ? { ...caller, rights: boundedRights(caller.rights, right) } : NOBODY;
    },
  };
}

const callerOf = ({ owner, rights, id, perMinute }: KeyRecord, { right }: Standing): Caller => ({
  email: owner,
  rights: boundedRights(rights, right),
  key: id,
  perMinute,
});

function signedIn(
  { login, replacedBy }: NonNullable<Awaited<ReturnType<LoginStore["find"]>>>,
  { right, name = login.userEmail }: Standing,
  perMinute: number,
): SignedIn {
  return {
    email: login.userEmail,
    rights: right === undefined ? [] : [right],
    key: `login ${login.id}`,
    perMinute,
    login: { id: login.id, name },
    ...(replacedBy !== undefined && { replacedBy: { token: replacedBy, expiresAt: login.expiresAt } }),
  };
}

/** A key or a user is looked up at most once a second, not once per request. */
function keptBriefly<T>(
  find: (key: string) => Promise<T>,
  now: () => number,
  onChange: (forget: () => void) => void,
): (key: string) => Promise<T> {
  const kept = new Map<string, { until: number; record: Promise<T> }>();
  onChange(() => kept.clear());
  return (key) => {
    const known = kept.get(key);
    if (known && known.until > now()) return known.record;
    if (kept.size > 10_000) kept.clear(); // someone is guessing keys: cleared rather than grown
    const record = find(key);
    const entry = { until: now() + KEPT_MS, record };
    kept.set(key, entry);
    record.catch(() => kept.get(key) === entry && kept.delete(key)); // a brief database outage proves nothing about a key
    return record;
  };
}
