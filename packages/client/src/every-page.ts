/** Lists that come in pages: one page, or all of them. */
import { ok, type Result } from "@capstan/core";
import type { Connection, Query } from "./connection.ts";
import type { Page, PageQuery } from "./wire/page.ts";

export const LARGEST_PAGE = 200;

/** The two functions of a list: `list` reads a page, `all` every page. */
export const pagedList = <Item, Filter extends Query = Query, More = { total: number }>(
  { json }: Pick<Connection, "json">,
  path: string,
) => {
  const list = (query: Filter | PageQuery = {}, signal?: AbortSignal) =>
    json<Page<Item> & More>("GET", path, { query: { ...query } as Query, signal });
  const all = (query: Filter | PageQuery = {}, signal?: AbortSignal) =>
    everyPage<Item>((cursor) => list({ ...query, limit: LARGEST_PAGE, cursor }, signal));
  return { list, all };
};

export async function everyPage<T>(
  read: (cursor: string | undefined) => Promise<Result<Page<T>>>,
): Promise<Result<T[]>> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(cursor);
    if (!page.ok) return page;
    all.push(...page.value.items);
    cursor = page.value.next_cursor;
  } while (cursor !== undefined);
  return ok(all);
}
