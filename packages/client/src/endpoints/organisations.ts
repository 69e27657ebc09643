/** /v1/organisations: who shares what. */
import type { Connection } from "../connection.ts";
import { everyPage, LARGEST_PAGE } from "../every-page.ts";
import type {
  NewOrganisation,
  Organisation,
  OrganisationCreate,
  OrganisationMember,
  OrganisationMemberPut,
  OrganisationPatch,
} from "../wire/organisations.ts";
import type { Items, Page } from "../wire/page.ts";

const at = (id: string) => `/v1/organisations/${encodeURIComponent(id)}`;
const memberAt = (id: string, user: string) => `${at(id)}/members/${encodeURIComponent(user)}`;

export const organisationEndpoints = ({ json }: Connection) => ({
  list: (signal?: AbortSignal) => json<Items<Organisation>>("GET", "/v1/organisations", { signal }),
  create: (organisation: OrganisationCreate) =>
    json<NewOrganisation>("POST", "/v1/organisations", { json: organisation }),
  change: (id: string, change: OrganisationPatch) => json<Organisation>("PATCH", at(id), { json: change }),
  remove: (id: string) => json<void>("DELETE", at(id)),
  /** For a browser: by a cookie. */
  choose: (organisation: string) => json<void>("POST", "/v1/me/organisation", { json: { organisation } }),
  /** All of them, page by page. */
  members: (id: string, signal?: AbortSignal) =>
    everyPage<OrganisationMember>((cursor) =>
      json<Page<OrganisationMember>>("GET", `${at(id)}/members`, {
        query: { limit: LARGEST_PAGE, cursor },
        signal,
      }),
    ),
  putMember: (id: string, user: string, member: OrganisationMemberPut) =>
    json<OrganisationMember>("PUT", memberAt(id, user), { json: member }),
  removeMember: (id: string, user: string) => json<void>("DELETE", memberAt(id, user)),
});
