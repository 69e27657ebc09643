/** A company's directory as pushed by SCIM: its users, its groups and its tokens. */
import type { Database } from "../db/database.ts";
import { type DirectoryGroups, directoryGroupStore } from "./directory-groups.ts";
import { type DirectoryTokens, directoryTokenStore } from "./directory-tokens.ts";
import { type DirectoryUsers, directoryUserStore } from "./directory-users.ts";

export interface Directory {
  readonly users: DirectoryUsers;
  readonly groups: DirectoryGroups;
  readonly tokens: DirectoryTokens;
}

export const openDirectory = (database: Pick<Database, "orm" | "organisation">): Directory => ({
  users: directoryUserStore(database),
  groups: directoryGroupStore(database),
  tokens: directoryTokenStore(database),
});
