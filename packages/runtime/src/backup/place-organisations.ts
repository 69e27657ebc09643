/** Makes the tables and roles of organisations in a store that is restored, as they were when it was backed up. */
import { fail, ok, type Result } from "@capstan/core";
import type pg from "pg";
import { ORGANISATION_ID, placeOrganisation, schemaOf } from "../organisations/organisation-schema.ts";
import { type StoredOrganisation, type StoreTable, storeTables } from "./store-tables.ts";

/** In the caller's transaction: all of it, or nothing. */
export async function placeOrganisations(
  client: pg.PoolClient,
  organisations: readonly StoredOrganisation[],
  where: string,
): Promise<Result<StoreTable[]>> {
  const tables: StoreTable[] = [];
  for (const { id, migrated_to } of organisations) {
    if (!ORGANISATION_ID.test(id))
      return fail("target_not_empty", { where, what: `no organisation "${id}"` });
    const { rows } = await client.query("select 1 from pg_namespace where nspname = $1", [schemaOf(id)]);
    if (rows.length > 0) return fail("target_not_empty", { where, what: `the organisation "${id}"` });
    await placeOrganisation(client, id, Number(migrated_to));
    tables.push(...(await storeTables(client, undefined, id)).filter(({ name }) => name !== "migrations"));
  }
  return ok(tables);
}
