/** Read-only links to a session: created by its owner, readable without a key. */
import type { Connection } from "../connection.ts";
import type { Items } from "../wire/page.ts";
import type {
  SessionLinkCreate,
  SessionLinkCreated,
  SessionLinkInfo,
  SharedSession,
} from "../wire/sharing.ts";

const part = encodeURIComponent;
const linksOf = (sessionId: string) => `/v1/sessions/${part(sessionId)}/links`;

export const linkEndpoints = ({ json }: Connection) => ({
  list: (sessionId: string, signal?: AbortSignal) =>
    json<Items<SessionLinkInfo>>("GET", linksOf(sessionId), { signal }),
  /** The only answer that has the link itself. */
  create: (sessionId: string, link: SessionLinkCreate = {}) =>
    json<SessionLinkCreated>("POST", linksOf(sessionId), { json: link }),
  revoke: (sessionId: string, id: string) => json<void>("DELETE", `${linksOf(sessionId)}/${part(id)}`),
});

/** `secret`: the part after `#` in a link. */
export const sharedEndpoints = ({ json, send }: Connection) => {
  const headers = (secret: string) => ({ "capstan-link": secret });
  return {
    get: (secret: string, signal?: AbortSignal) =>
      json<SharedSession>("GET", "/v1/shared", { headers: headers(secret), signal }),
    file: (secret: string, path: string) =>
      send("GET", "/v1/shared/file", { headers: headers(secret), query: { path } }),
  };
};
