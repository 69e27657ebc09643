/**
 * What a PUT of a provider changes. Clients may send back the provider as they read it: read-only fields must be
 * unchanged, and equal values are not changes. A built-in provider has fixed addresses: equal ones are ignored,
 * others are refused later.
 */
import { type ConnectionProviderInfo, ConnectionProviderPut, isReadBack } from "@capstan/client/wire";
import { ok, type Result } from "@capstan/core";
import type { ProviderSettings } from "@capstan/runtime";
import type { z } from "@hono/zod-openapi";
import { changesOf } from "../http/sent-back.ts";
import { sentSecret } from "../http/sent-secret.ts";

type Sent = z.output<typeof ConnectionProviderPut>;
export interface ProviderChange {
  readonly settings: ProviderSettings;
  readonly secret: string | undefined;
}

/** Derived fields; a new provider has none. */
const FOLLOWS = ["ready", "listed", "from", "redirect_uri"];
/** All that an operator sets of a provider of the table. */
const OF_LISTED: readonly string[] = ["client_id", "tenant"] satisfies (keyof ProviderSettings)[];

/** Undefined when it changes nothing. */
export function sentProvider(
  id: string,
  current: ConnectionProviderInfo | undefined,
  { client_secret, ...sent }: Sent,
): Result<ProviderChange | undefined> {
  const secret = sentSecret("client_secret", client_secret, current?.has_secret === true);
  if (!secret.ok) return secret;
  const changes = changesOf(
    {
      schema: ConnectionProviderPut,
      what: "connection provider",
      current: current ?? { id, has_secret: false },
      figures: [...(current ? [] : FOLLOWS), ...(secret.value === undefined ? [] : ["has_secret"])],
    },
    sent,
  );
  if (!changes.ok) return changes;
  const settings = settingsIn(sent, (name) => !current?.listed || isOwn(name) || name in changes.value);
  const isSame = current && secret.value === undefined && isAsRead(current, sent, changes.value);
  return ok(isSame ? undefined : { settings, secret: secret.value });
}

const isOwn = (name: string): boolean => OF_LISTED.includes(name);

function settingsIn(sent: Omit<Sent, "client_secret">, isSet: (name: string) => boolean): ProviderSettings {
  const isKey = sent.kind !== undefined && sent.kind !== "oauth2";
  const given = Object.entries(sent).filter(
    ([name, value]) =>
      value != null && !isReadBack(ConnectionProviderPut, name) && isSet(name) && !(isKey && name === "pkce"),
  );
  return Object.fromEntries(given);
}

/** PUT replaces, so a missing field is a change too. A client from the environment is saved if it is sent alone. */
function isAsRead(current: ConnectionProviderInfo, sent: object, changes: object): boolean {
  const has = (name: string): boolean => Object.hasOwn(sent, name);
  const settable = Object.entries(current).filter(
    ([name, value]) =>
      value !== null && !isReadBack(ConnectionProviderPut, name) && (!current.listed || isOwn(name)),
  );
  const isWhole = settable.every(([name]) => has(name));
  return Object.keys(changes).length === 0 && isWhole && (current.from === "settings" || has("from"));
}
