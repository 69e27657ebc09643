/** Somebody whom the provider vouches for is signed in here: known, not disabled, and in the list of logins. */
import { fail, ok, type Result } from "@capstan/core";
import type { AuditLog, Login, LoginStore, PeopleStore } from "@capstan/runtime";
import type { SignedIn } from "./openid-provider.ts";

export interface StartLoginParts {
  readonly people: PeopleStore;
  readonly logins: LoginStore;
  readonly audit: AuditLog;
}

export async function startLogin(
  { people, logins, audit }: StartLoginParts,
  { person, sid }: SignedIn,
  where: Pick<Login, "kind" | "device">,
): Promise<Result<{ token: string; login: Login }>> {
  const known = await people.remember(person);
  if (!known.ok) return known;
  const { userEmail, isNew } = known.value;
  const { isDisabled } = await people.standing(userEmail);
  if (isDisabled) return fail("person_refused", { why: `${userEmail} was disabled` });
  const { issuer, subject } = person;
  const made = await logins.create({ ...where, issuer, subject, sid, userEmail });
  const details = { issuer, subject, is_new: isNew };
  await audit.add({ actor: userEmail, action: "login.started", subject: made.login.id, details });
  return ok(made);
}
