/** The server itself: status, API keys, users, the audit log. */

import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type { Items, JsonObject } from "../wire/page.ts";
import type { UserDeleteQuery, UserDeletion } from "../wire/people.ts";
import type {
  ApiKey,
  AuditEntry,
  AuditFilter,
  AuditVerification,
  Grant,
  GrantCreate,
  GrantQuery,
  KeyCreate,
  KeyQuery,
  NewApiKey,
  SecretInfo,
  SecretPlace,
  SecretPut,
  ServerStatus,
  User,
  UserPut,
  UserQuery,
} from "../wire/settings.ts";

const part = encodeURIComponent;

export const serverEndpoints = ({ json }: Connection) => ({
  status: (signal?: AbortSignal) => json<ServerStatus>("GET", "/v1/status", { signal }),
  ready: (signal?: AbortSignal) => json<JsonObject>("GET", "/ready", { signal }),
  health: (signal?: AbortSignal) => json<JsonObject>("GET", "/health", { signal }),
  verifyAudit: (query: { expect?: string | undefined } = {}, signal?: AbortSignal) =>
    json<AuditVerification>("GET", "/v1/audit/verification", { query, signal }),
  audit: (query: AuditFilter = {}, signal?: AbortSignal) =>
    json<Items<AuditEntry> & { next_cursor?: number }>("GET", "/v1/audit", { query, signal }),
});

export const keyEndpoints = ({ json }: Connection) => ({
  ...pagedList<ApiKey, KeyQuery>({ json }, "/v1/keys"),
  /** The only response that contains the key itself. */
  create: (key: KeyCreate) => json<NewApiKey>("POST", "/v1/keys", { json: key }),
  revoke: (id: string) => json<void>("DELETE", `/v1/keys/${part(id)}`),
});

export const secretEndpoints = ({ json }: Connection) => ({
  /** Names only. */
  list: (signal?: AbortSignal) => json<Items<SecretInfo>>("GET", "/v1/secrets", { signal }),
  set: ({ capability, name }: SecretPlace, secret: SecretPut) =>
    json<SecretPlace>("PUT", `/v1/secrets/${part(capability)}/${part(name)}`, { json: secret }),
  remove: ({ capability, name }: SecretPlace, query: { user?: string | undefined } = {}) =>
    json<void>("DELETE", `/v1/secrets/${part(capability)}/${part(name)}`, { query }),
});

export const userEndpoints = ({ json }: Connection) => ({
  ...pagedList<User, UserQuery>({ json }, "/v1/users"),
  get: (email: string, signal?: AbortSignal) => json<User>("GET", `/v1/users/${part(email)}`, { signal }),
  /** Only a disabled one. */
  delete: (email: string, query: UserDeleteQuery = {}) =>
    json<UserDeletion>("DELETE", `/v1/users/${part(email)}`, { query }),
  put: (email: string, patch: UserPut) => json<User>("PUT", `/v1/users/${part(email)}`, { json: patch }),
});

export const grantEndpoints = ({ json }: Connection) => ({
  ...pagedList<Grant, GrantQuery>({ json }, "/v1/grants"),
  create: (grant: GrantCreate) => json<Grant>("POST", "/v1/grants", { json: grant }),
  revoke: (id: string) => json<void>("DELETE", `/v1/grants/${part(id)}`),
});
