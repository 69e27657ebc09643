/** All items of a paged list. */
import { ok, type Result } from "@capstan/core";
import type { Page } from "./wire/page.ts";

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
