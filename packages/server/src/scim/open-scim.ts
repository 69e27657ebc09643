/** SCIM 2.0: a company's directory pushes its users and groups here; changes take effect within a second. */
import { newRoutes } from "../http/define-route.ts";
import type { Feature } from "../http/feature.ts";
import { resourceTypes, schemas, serviceProviderConfig } from "./discovery.ts";
import { type GroupResourceParts, groupResources } from "./group-resources.ts";
import { listOf } from "./list-resources.ts";
import { scimRefused } from "./scim-refusal.ts";
import {
  answering,
  missing,
  type ResourceHandlers,
  type ScimHandler,
  type ScimRequest,
  scimAnswer,
} from "./scim-requests.ts";
import type { Json } from "./scim-user.ts";
import { type TokenRouteParts, tokenRoutes } from "./token-routes.ts";
import { type UserResourceParts, userResources } from "./user-resources.ts";

export type ScimParts = UserResourceParts & GroupResourceParts & TokenRouteParts;

/** One route, so that one place checks the token. */
export function openScim(parts: ScimParts): Feature {
  const routes = newRoutes();
  const resources = new Map([
    ["users", userResources(parts)],
    ["groups", groupResources(parts)],
  ]);
  routes.all(
    "/scim/v2/*",
    answering(parts, (request) => handlerFor(request, resources)(request)),
  );
  return { routes: [tokenRoutes(parts), routes] };
}

const OF_ALL = new Map<string, keyof ResourceHandlers>([
  ["GET", "list"],
  ["POST", "create"],
]);
const OF_ONE = new Map<string, keyof ResourceHandlers>([
  ["GET", "get"],
  ["PUT", "replace"],
  ["PATCH", "patch"],
  ["DELETE", "remove"],
]);

const DISCOVERY = new Map<string, ScimHandler>([
  ["serviceproviderconfig", async ({ base }) => scimAnswer(serviceProviderConfig(base))],
  ["resourcetypes", (request) => list(request, resourceTypes)],
  ["schemas", (request) => list(request, schemas)],
]);

function handlerFor({ c, id }: ScimRequest, resources: ReadonlyMap<string, ResourceHandlers>): ScimHandler {
  const [, , , kind = "", , ...more] = c.req.path.split("/");
  const { method } = c.req;
  if (more.length > 0) return unsupported;
  const discovery = method === "GET" ? DISCOVERY.get(kind.toLowerCase()) : undefined;
  const resource = resources.get(kind.toLowerCase());
  const action = (id === "" ? OF_ALL : OF_ONE).get(method);
  return discovery ?? (resource && action ? resource[action] : unsupported);
}

async function list({ base, id }: ScimRequest, all: (base: string) => Json[]): Promise<Response> {
  const every = all(base);
  if (id === "") return scimAnswer(listOf(every, every.length));
  const found = every.find((each) => each.id === id);
  return found ? scimAnswer(found) : missing("resource", id);
}

/** Bulk, Me, .search and everything else. */
const unsupported: ScimHandler = async ({ c }) => {
  const detail = `${c.req.method} ${c.req.path.slice(0, 200)} is not supported; see ServiceProviderConfig.`;
  return scimRefused({ status: 501, detail });
};
