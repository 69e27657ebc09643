/** The store of one organisation: the same tables and code, on connections that can only see its own. */
import { ok, type Result } from "@capstan/core";
import { drizzle } from "drizzle-orm/node-postgres";
import type { Database } from "../db/database.ts";
import { PolicyChanges } from "../db/policy-changes.ts";
import { prepareOrganisation, scopeOf } from "./organisation-schema.ts";

export async function openOrganisationDatabase(first: Database, id: string): Promise<Result<Database>> {
  const prepared = await prepareOrganisation(first, id);
  if (!prepared.ok) return prepared;
  const { end, ...pools } = first.openScope(await scopeOf(first, id));
  return ok({
    kind: first.kind,
    location: `${first.location} (${id})`,
    ...pools,
    reader: pools.pool,
    orm: drizzle(pools.pool),
    policyChanges: new PolicyChanges(),
    organisation: { id, directory: first },
    openScope: () => {
      throw new Error("an organisation contains no others");
    },
    close: end,
  });
}
