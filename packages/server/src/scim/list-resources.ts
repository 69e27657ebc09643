/** A list of users or groups: filtered, from `startIndex` (the first is 1), at most `count` (RFC 7644, section 3.4.2). */

import type { DirectoryRange } from "./directory-types.ts";
import { MOST_RESULTS } from "./discovery.ts";
import { type Filter, matches, parseFilter, requiredTexts } from "./scim-filter.ts";
import { invalid, type Scim } from "./scim-refusal.ts";
import type { Json } from "./scim-user.ts";

const DEFAULT_COUNT = 100;
const CHUNK = 500;

export interface Listable<Row> {
  /** Rows with these texts by the names of attributes, in lower case; a superset of what is searched. */
  page(texts: Readonly<Record<string, string>>, range: DirectoryRange): Promise<Row[]>;
  count(): Promise<number>;
  show(rows: readonly Row[]): Promise<Json[]>;
}

export type Query = (name: string) => string | undefined;

export async function listResources<Row extends { readonly id: string }>(
  of: Listable<Row>,
  query: Query,
): Promise<Scim<Json>> {
  const start = numberIn(query("startIndex"), 1);
  const asked = numberIn(query("count"), DEFAULT_COUNT);
  if (start === undefined || asked === undefined)
    return invalid("invalidValue", "startIndex and count must be whole numbers.");
  const range = { from: Math.max(start, 1) - 1, count: Math.min(Math.max(asked, 0), MOST_RESULTS) };
  const text = query("filter");
  const filter = text === undefined ? undefined : parseFilter(text);
  if (text !== undefined && filter === undefined)
    return invalid("invalidFilter", `The filter is not understood: ${text.slice(0, 200)}`);
  const { total, found } = await (filter ? searchIn(of, filter, range) : allOf(of, range));
  return {
    value: listOf(
      found.map((each) => projected(each, query)),
      total,
      range.from + 1,
    ),
  };
}

export const listOf = (resources: readonly Json[], total: number, startIndex = 1): Json => ({
  schemas: ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

interface Range {
  readonly from: number;
  readonly count: number;
}

async function allOf<Row>(of: Listable<Row>, { from, count }: Range) {
  const total = await of.count();
  const rows = count === 0 ? [] : await of.page({}, { skip: from, limit: count });
  return { total, found: await of.show(rows) };
}

async function searchIn<Row extends { readonly id: string }>(
  of: Listable<Row>,
  filter: Filter,
  { from, count }: Range,
) {
  const texts = requiredTexts(filter);
  const found: Json[] = [];
  let total = 0;
  for (let after: string | undefined; ; ) {
    const rows = await of.page(texts, { after, limit: CHUNK });
    for (const resource of await of.show(rows)) {
      if (!matches(filter, resource)) continue;
      if (total >= from && found.length < count) found.push(resource);
      total++;
    }
    after = rows.at(-1)?.id;
    if (rows.length < CHUNK) return { total, found };
  }
}

function numberIn(text: string | undefined, otherwise: number): number | undefined {
  if (text === undefined || text === "") return otherwise;
  return /^-?\d{1,9}$/.test(text) ? Number(text) : undefined;
}

const ALWAYS = new Set(["schemas", "id"]);

/** `attributes` and `excludedAttributes`, by whole attributes. */
export function projected(resource: Json, query: Query): Json {
  const [wanted, unwanted] = [namesIn(query("attributes")), namesIn(query("excludedAttributes"))];
  if (wanted === undefined && unwanted === undefined) return resource;
  const isShown = (name: string): boolean =>
    ALWAYS.has(name) ||
    (wanted ? wanted.has(name.toLowerCase()) : unwanted?.has(name.toLowerCase()) !== true);
  return Object.fromEntries(Object.entries(resource).filter(([name]) => isShown(name)));
}

/** `name.familyName` shows `name`. */
export function namesIn(text: string | undefined): Set<string> | undefined {
  if (text === undefined || text.trim() === "") return undefined;
  const names = text.split(",").map((each) => each.trim().toLowerCase());
  return new Set(names.map((each) => (each.startsWith("urn:") ? each : (each.split(".")[0] ?? each))));
}
