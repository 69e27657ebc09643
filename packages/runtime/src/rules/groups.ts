/** Groups of a user, as their OpenID provider named them at the last sign-in. Who only has keys is in none. */
import { eq } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { identities } from "../db/schema/people-tables.ts";

/** Who people are is known to the first organisation. */
export type PeopleDatabase = Pick<Database, "orm" | "organisation">;

/** Values of the claim `groups`, and `claim=value` for every claim. */
export async function groupsIn(
  { orm, organisation }: PeopleDatabase,
  email: string,
): Promise<readonly string[]> {
  const rows = await (organisation?.directory.orm ?? orm)
    .select({ claims: identities.claims })
    .from(identities)
    .where(eq(identities.userEmail, email));
  return rows
    .flatMap(({ claims }) => Object.entries(claims))
    .flatMap(([claim, values]) =>
      values.flatMap((value) => [...(claim === "groups" ? [value] : []), `${claim}=${value}`]),
    );
}
