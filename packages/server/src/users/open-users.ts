/** Users and what they are given: grants, API keys, secrets of capabilities, tokens of agents. */
import type { Feature } from "../http/feature.ts";
import { type GrantRouteParts, grantRoutes } from "./grant-routes.ts";
import { type KeyRouteParts, keyRoutes } from "./key-routes.ts";
import { type SecretRouteParts, secretRoutes } from "./secret-routes.ts";
import { type TokenRouteParts, tokenRoutes } from "./token-routes.ts";
import { type UserRouteParts, userRoutes } from "./user-routes.ts";

export interface UserParts
  extends UserRouteParts,
    GrantRouteParts,
    KeyRouteParts,
    SecretRouteParts,
    TokenRouteParts {}

export const openUsers = (parts: UserParts): Feature => ({
  routes: [userRoutes(parts), grantRoutes(parts), keyRoutes(parts), secretRoutes(parts), tokenRoutes(parts)],
});
