/**
 * Signs in a person whom the provider has identified: records them, checks that they are not disabled, and stores the
 * login.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { AuditLog, Login, LoginStore, PeopleStore } from "@capstan/runtime";
import type { IdentityChecks } from "./identity-types.ts";
import type { SignedIn } from "./read-person.ts";

export interface StartLoginParts {
  readonly people: PeopleStore;
  readonly logins: LoginStore;
  readonly audit: AuditLog;
  readonly identityChecks: IdentityChecks;
}

export async function startLogin(
  { people, logins, audit, identityChecks }: StartLoginParts,
  { person, sid, tokens }: SignedIn,
  where: Pick<Login, "kind" | "device">,
): Promise<Result<{ token: string; login: Login }>> {
  const known = await people.remember(person);
  if (!known.ok) return known;
  const { userEmail, isNew } = known.value;
  await identityChecks.keep(person, tokens);
  const { isDisabled } = await people.standing(userEmail);
  if (isDisabled) return fail("person_refused", { why: `${userEmail} was disabled` });
  const { issuer, subject } = person;
  const made = await logins.create({ ...where, issuer, subject, sid, userEmail });
  const details = { issuer, subject, is_new: isNew };
  await audit.add({ actor: userEmail, action: "login.started", subject: made.login.id, details });
  return ok(made);
}
