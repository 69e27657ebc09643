/** Users and what belongs to them: grants, API keys, capability secrets, agent tokens. */
import { connectAccounts, type Database, type Runs } from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import { type DeleteUserParts, deleteUserRoutes } from "./delete-user.ts";
import { type GrantRouteParts, grantRoutes } from "./grant-routes.ts";
import { type KeyRouteParts, keyRoutes } from "./key-routes.ts";
import { type SecretRouteParts, secretRoutes } from "./secret-routes.ts";
import { type TokenRouteParts, tokenRoutes } from "./token-routes.ts";
import { type UserRouteParts, userRoutes } from "./user-routes.ts";

export type UserParts = UserRouteParts &
  Omit<DeleteUserParts, "connectAccounts"> &
  Omit<Parameters<typeof connectAccounts>[0], "approvals"> &
  GrantRouteParts &
  KeyRouteParts &
  SecretRouteParts &
  TokenRouteParts & { readonly runs: Runs; readonly database: Database };

export function openUsers(parts: UserParts): Feature {
  const accounts = connectAccounts({ ...parts, approvals: parts.runs.approvals });
  return {
    routes: [
      userRoutes(parts),
      deleteUserRoutes({ ...parts, connectAccounts: accounts }),
      grantRoutes(parts),
      keyRoutes(parts),
      secretRoutes(parts),
      tokenRoutes(parts),
    ],
  };
}
