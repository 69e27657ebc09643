/** People: who asks, where they are signed in, and their roles. */
import type { Connection } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import type { Items } from "../wire/page.ts";
import type {
  DeviceLogin,
  DeviceLoginStart,
  DeviceLoginState,
  LoginInfo,
  Me,
  NewScimToken,
  RoleCreate,
  RoleInfo,
  ScimToken,
  ScimTokenCreate,
} from "../wire/people.ts";

const part = encodeURIComponent;

export const loginEndpoints = ({ json }: Connection) => ({
  me: (signal?: AbortSignal) => json<Me>("GET", "/v1/me", { signal }),
  ...pagedList<LoginInfo>({ json }, "/v1/logins"),
  revoke: (id: string) => json<void>("DELETE", `/v1/logins/${part(id)}`),
  /** By the provider's device flow: for programs without a browser. */
  startDevice: (start: DeviceLoginStart) => json<DeviceLogin>("POST", "/v1/logins/device", { json: start }),
  pollDevice: (handle: string) =>
    json<DeviceLoginState>("POST", "/v1/logins/device/poll", { json: { handle } }),
  /** The login that asks. */
  end: () => json<void>("POST", "/v1/logins/end"),
});

export const roleEndpoints = ({ json }: Connection) => ({
  list: (signal?: AbortSignal) => json<Items<RoleInfo>>("GET", "/v1/roles", { signal }),
  create: (role: RoleCreate) => json<RoleInfo>("POST", "/v1/roles", { json: role }),
  remove: (id: string) => json<void>("DELETE", `/v1/roles/${part(id)}`),
});

export const scimTokenEndpoints = ({ json }: Connection) => ({
  list: (signal?: AbortSignal) => json<Items<ScimToken>>("GET", "/v1/scim-tokens", { signal }),
  create: (token: ScimTokenCreate) => json<NewScimToken>("POST", "/v1/scim-tokens", { json: token }),
  revoke: (id: string) => json<void>("DELETE", `/v1/scim-tokens/${part(id)}`),
});
