/**
 * A user's groups at their provider: from its directory, otherwise from the last sign-in. Users who only have keys
 * are in none.
 */
import { claimsOfPerson, type PeopleDatabase } from "../users/known-person.ts";

/** Values of the claim `groups`, and `claim=value` for every claim. */
export async function groupsIn(database: PeopleDatabase, email: string): Promise<readonly string[]> {
  return Object.entries(await claimsOfPerson(database, email)).flatMap(([claim, values]) =>
    values.flatMap((value) => [...(claim === "groups" ? [value] : []), `${claim}=${value}`]),
  );
}
