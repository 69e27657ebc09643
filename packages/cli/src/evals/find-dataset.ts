/** Finds a dataset by id or name. */
import type { Api, Dataset } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export async function findDataset(api: Api, wanted: string): Promise<Result<Dataset>> {
  if (UUID.test(wanted)) return api.datasets.get(wanted);
  const page = await api.datasets.list({ name: wanted });
  if (!page.ok) return page;
  const [found, other] = page.value.items;
  if (!found) return fail("not_found", { what: "dataset", id: wanted });
  if (!other) return ok(found);
  return fail("conflict", {
    message: `Several datasets are named "${wanted}".`,
    nextStep: `Use an id: ${page.value.items.map(({ id }) => id).join(", ")}.`,
  });
}

/** Its id alone: an id is not looked up first, so that a change is refused or made by the server in one step. */
export async function datasetIdOf(api: Api, wanted: string): Promise<Result<string>> {
  if (UUID.test(wanted)) return ok(wanted);
  const found = await findDataset(api, wanted);
  return found.ok ? ok(found.value.id) : found;
}
