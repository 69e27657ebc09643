/**
 * What happens after a directory changes a user. Rights are computed from its rows, so they change automatically;
 * this file invalidates the caches of every process, ends the logins of people who left, and revokes the keys and
 * tokens of removed users.
 */
import {
  type AuditLog,
  type Database,
  type Directory,
  endAccess,
  FIRST_ORGANISATION,
  type LoginStore,
} from "@capstan/runtime";
import type { DirectoryToken, DirectoryUser } from "./directory-types.ts";

export interface DirectoryChangeParts {
  readonly database: Pick<Database, "orm" | "policyChanges">;
  readonly directory: Directory;
  readonly logins: LoginStore;
  readonly audit: AuditLog;
  readonly organisation: string;
}

export async function announceDirectory(
  { database, audit }: Pick<DirectoryChangeParts, "database" | "audit">,
  by: DirectoryToken,
  entry: { readonly action: string; readonly subject: string; readonly details: Record<string, unknown> },
): Promise<void> {
  await database.policyChanges.announce();
  await audit.add({ actor: `scim:${by.name}`, ...entry });
}

/** Logins are the server's: only the first organisation's directory ends them. */
export async function endLoginsOf(parts: DirectoryChangeParts, emails: readonly string[]): Promise<number> {
  if (parts.organisation !== FIRST_ORGANISATION) return 0;
  const ended = await Promise.all(emails.map((email) => parts.logins.revokeOf(email)));
  return ended.reduce((all, one) => all + one, 0);
}

export async function userChanged(
  parts: DirectoryChangeParts,
  by: DirectoryToken,
  user: DirectoryUser,
  action: "added" | "changed",
): Promise<void> {
  const { id, userName, active } = user;
  const logins = active ? 0 : await endLoginsOf(parts, await parts.directory.users.ownersOf(user));
  const details = { name: userName, active, ...(logins > 0 && { logins_ended: logins }) };
  await announceDirectory(parts, by, { action: `directory.user_${action}`, subject: id, details });
}

export async function userRemoved(
  parts: DirectoryChangeParts,
  by: DirectoryToken,
  user: DirectoryUser,
): Promise<void> {
  const owners = await parts.directory.users.ownersOf(user);
  const logins = await endLoginsOf(parts, owners);
  const ended = await Promise.all(owners.map((email) => endAccess(parts.database, email)));
  const keys = ended.reduce((all, each) => all + each.keys, 0);
  const tokens = ended.reduce((all, each) => all + each.tokens + each.clients, 0);
  const details = { name: user.userName, logins_ended: logins, keys_ended: keys, tokens_ended: tokens };
  await announceDirectory(parts, by, { action: "directory.user_removed", subject: user.id, details });
}
