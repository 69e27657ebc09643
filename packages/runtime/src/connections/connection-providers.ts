/**
 * The providers that users can connect to: rows of the table with the operator's client, and the operator's own. Nobody
 * else can add one or change its hosts: a document or an agent only names a provider.
 */
import { isDeepStrictEqual } from "node:util";
import { type ConnectionNeed, fail, ok, type Result } from "@capstan/core";
import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { connectionProviders, connections } from "../db/schema/connection-tables.ts";
import type { SecretBox } from "../users/secret-box.ts";
import {
  BEARER,
  CONNECTION_PROVIDERS,
  type ConnectionProvider,
  type OAuthFacts,
  usualOAuth,
} from "./provider-table.ts";

/** The operator's settings, as parsed by the route; the client's secret is stored separately. */
export interface ProviderSettings {
  readonly name?: string | undefined;
  readonly kind?: ConnectionProvider["kind"] | undefined;
  readonly client_id?: string | undefined;
  /** Microsoft's directory. */
  readonly tenant?: string | undefined;
  readonly authorization_url?: string | undefined;
  readonly token_url?: string | undefined;
  readonly revocation_url?: string | undefined;
  readonly issuer?: string | undefined;
  /** Read from its metadata, never set by hand. */
  readonly names_itself?: boolean | undefined;
  readonly account_url?: string | undefined;
  readonly hosts?: readonly string[] | undefined;
  readonly base_scopes?: readonly string[] | undefined;
  readonly scope_separator?: " " | "," | undefined;
  readonly pkce?: boolean | undefined;
  readonly client_proof?: "body" | "header" | undefined;
  /** RFC 8707. */
  readonly resource?: string | undefined;
  readonly header?: string | undefined;
  readonly query?: string | undefined;
  readonly prefix?: string | undefined;
}

/** A provider with the operator's client at it. */
export interface ConfiguredProvider extends ConnectionProvider {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
  /** Whether users can connect. */
  readonly isReady: boolean;
  /** Whether it is a row of the table. */
  readonly isListed: boolean;
  readonly from: "settings" | "environment" | "none";
  /** As the operator set it. */
  readonly settings: ProviderSettings;
}

/** Clients from the environment, by provider. */
export type ProviderClients = Readonly<
  Record<string, { client_id: string; client_secret?: string | undefined }>
>;

export interface ConnectionProviders {
  list(): Promise<ConfiguredProvider[]>;
  get(id: string): Promise<Result<ConfiguredProvider>>;
  /** By id, or by the address of its authorization server, its issuer, or an API with keys. */
  find(need: Pick<ConnectionNeed, "provider" | "kind">): Promise<ConfiguredProvider | undefined>;
  put(id: string, settings: ProviderSettings, secret: string | undefined, by: string): Promise<Result<true>>;
  remove(id: string): Promise<boolean>;
}

export function connectionProviderStore(
  { orm }: Pick<Database, "orm">,
  box: SecretBox,
  environment: ProviderClients = {},
): ConnectionProviders {
  const rows = async () =>
    new Map((await orm.select().from(connectionProviders)).map((row) => [row.id, row]));
  const configured = (id: string, row: Row | undefined) => configuredProvider(id, row, box, environment[id]);
  const list = async () => {
    const stored = await rows();
    const ids = new Set([...CONNECTION_PROVIDERS.map(({ id }) => id), ...stored.keys()]);
    return [...ids].flatMap((id) => configured(id, stored.get(id)) ?? []);
  };
  return {
    list,
    async get(id) {
      const [row] = await orm.select().from(connectionProviders).where(eq(connectionProviders.id, id));
      const found = configured(id, row);
      return found ? ok(found) : fail("not_found", { what: "connection provider", id });
    },
    async find({ provider: named, kind }) {
      const all = await list();
      const byId = all.find(({ id }) => id === named);
      const there = URL.canParse(named) ? all.filter((each) => isAt(each, new URL(named))) : [];
      return byId ?? there.find((each) => each.kind === kind) ?? there[0];
    },
    async put(id, settings, secret, by) {
      const fault = settingsFault(id, settings);
      if (fault !== undefined) return fail("input_invalid", { where: fault });
      const [before] = await orm.select().from(connectionProviders).where(eq(connectionProviders.id, id));
      const hasMoved = !isListed(id) && !isDeepStrictEqual(placesOf(before?.settings), placesOf(settings));
      if (hasMoved) await endConnections(orm, id);
      const sealed = secret === undefined ? undefined : box.seal(secret);
      const set = { settings, updatedBy: by, ...((sealed ?? hasMoved) && { secret: sealed ?? null }) };
      await orm
        .insert(connectionProviders)
        .values({ id, ...set })
        .onConflictDoUpdate({ target: connectionProviders.id, set: { ...set, updatedAt: sql`now()` } });
      return ok(true);
    },
    async remove(id) {
      const gone = await orm
        .delete(connectionProviders)
        .where(eq(connectionProviders.id, id))
        .returning({ id: connectionProviders.id });
      return gone.length > 0;
    },
  };
}

/** The addresses that secrets of the provider are sent to. Secrets were given for these only. */
function placesOf(stored: unknown): unknown[] {
  const { token_url, revocation_url, account_url, hosts } = (stored ?? {}) as ProviderSettings;
  return [token_url, revocation_url, account_url, hosts && [...hosts].sort()].map((place) => place ?? null);
}

async function endConnections(orm: Database["orm"], provider: string): Promise<void> {
  await orm
    .update(connections)
    .set({ endedAt: sql`now()` })
    .where(and(eq(connections.provider, provider), isNull(connections.endedAt)));
}

type Row = typeof connectionProviders.$inferSelect;

/** What the operator set comes before the environment. */
function configuredProvider(
  id: string,
  row: Row | undefined,
  box: SecretBox,
  given: ProviderClients[string] | undefined,
): ConfiguredProvider | undefined {
  const settings = (row?.settings ?? {}) as ProviderSettings;
  const client_id = settings.client_id ?? given?.client_id;
  const base = providerOf(id, { ...settings, client_id });
  if (!base) return undefined;
  const from = row ? "settings" : given ? "environment" : "none";
  return {
    ...base,
    clientId: client_id,
    clientSecret: row?.secret ? box.open(row.secret) : isListed(id) ? given?.client_secret : undefined,
    isReady: base.kind !== "oauth2" || client_id !== undefined,
    isListed: isListed(id),
    from,
    settings,
  };
}

const isListed = (id: string): boolean => CONNECTION_PROVIDERS.some((row) => row.id === id);

/** An address belongs to a provider whose authorization server is there, or whose API takes keys there. */
function isAt({ kind, hosts, oauth }: ConnectionProvider, url: URL): boolean {
  if (kind !== "oauth2") return hosts.includes(url.host);
  return [oauth?.authorizationUrl, oauth?.tokenUrl, oauth?.issuer].some(
    (own) => own !== undefined && new URL(own.replaceAll(/[{}]/g, "")).origin === url.origin,
  );
}

/** Fills in what a row of the table leaves out. Undefined when it is neither listed nor complete. */
function providerOf(id: string, settings: ProviderSettings): ConnectionProvider | undefined {
  const listed = CONNECTION_PROVIDERS.find((row) => row.id === id);
  if (listed?.oauth) return { ...listed, oauth: withPlaces(listed.oauth, settings) };
  const { kind = "oauth2", hosts = [], name = id } = settings;
  const common = { id, name, kind, hosts };
  if (kind !== "oauth2") return { ...common, sentAs: sentAs(settings) };
  const { authorization_url: authorizationUrl, token_url: tokenUrl } = settings;
  if (authorizationUrl === undefined || tokenUrl === undefined) return undefined;
  const oauth = usualOAuth({
    authorizationUrl,
    tokenUrl,
    revocationUrl: settings.revocation_url,
    issuer: settings.issuer,
    namesItself: settings.names_itself,
    resource: settings.resource,
    ...(settings.base_scopes && { baseScopes: settings.base_scopes }),
    ...(settings.scope_separator && { scopeSeparator: settings.scope_separator }),
    ...(settings.pkce !== undefined && { pkce: settings.pkce }),
    ...(settings.client_proof && { clientProof: settings.client_proof }),
    ...(settings.account_url && {
      account: { url: settings.account_url, fields: ["email", "preferred_username", "login", "name", "sub"] },
    }),
  });
  return { ...common, sentAs: BEARER, oauth };
}

function withPlaces(oauth: OAuthFacts, { tenant = "common", client_id = "" }: ProviderSettings): OAuthFacts {
  const fill = (url: string) => url.replace("{tenant}", tenant).replace("{client_id}", client_id);
  return {
    ...oauth,
    authorizationUrl: fill(oauth.authorizationUrl),
    tokenUrl: fill(oauth.tokenUrl),
    revocationUrl: oauth.revocationUrl && fill(oauth.revocationUrl),
  };
}

function sentAs({ kind, header, query, prefix }: ProviderSettings): ConnectionProvider["sentAs"] {
  if (kind === "basic") return { in: "header", name: "authorization", prefix: "Basic " };
  if (query !== undefined) return { in: "query", name: query, prefix: "" };
  const name = header?.toLowerCase() ?? "authorization";
  return { in: "header", name, prefix: prefix ?? (name === "authorization" ? "Bearer " : "") };
}

/** An operator cannot change a row's own addresses and hosts by mistake; another provider needs all of them. */
function settingsFault(id: string, settings: ProviderSettings): string | undefined {
  if (isListed(id)) {
    const { client_id, tenant, ...fixed } = settings;
    const [first] = Object.keys(fixed);
    if (first !== undefined) return `${first}: is fixed for ${id}; give another provider an id of its own`;
    return client_id === undefined ? "client_id: is missing" : undefined;
  }
  if (settings.hosts === undefined) return "hosts: is missing; tokens go to these hosts only";
  if ((settings.kind ?? "oauth2") !== "oauth2") return undefined;
  const lacking = (["client_id", "authorization_url", "token_url"] as const).find(
    (name) => settings[name] === undefined,
  );
  return lacking && `${lacking}: is missing`;
}
