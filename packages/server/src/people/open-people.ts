/** People: they sign in with an OpenID provider, and its groups and claims give them roles. */
import type { Feature } from "../http/feature.ts";
import { type DeviceRouteParts, deviceRoutes } from "./device-routes.ts";
import { type LoginRouteParts, loginRoutes } from "./login-routes.ts";
import { type MeParts, meRoutes } from "./me-routes.ts";
import { openIdProvider } from "./openid-provider.ts";
import { type RoleParts, roleRoutes } from "./role-routes.ts";

export type PeopleRouteParts = Omit<LoginRouteParts, "provider"> &
  Omit<DeviceRouteParts, "provider"> &
  Omit<MeParts, "issuer"> &
  RoleParts;

/** Without a provider nobody can sign in, and everything else is as it was. */
export function openPeople(parts: PeopleRouteParts): Feature {
  const provider = openIdProvider(parts.settings);
  const routes = [
    deviceRoutes({ ...parts, provider }),
    meRoutes({ ...parts, issuer: provider?.issuer }),
    roleRoutes(parts),
  ];
  return { routes: provider ? [...routes, loginRoutes({ ...parts, provider })] : routes };
}
