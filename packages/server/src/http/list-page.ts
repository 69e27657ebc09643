/** Pagination and text filter for lists that are read whole. */
import type { Page } from "@capstan/client/wire";

interface ReadPage<Row> {
  readonly items: readonly Row[];
  readonly total?: number;
  readonly nextCursor?: string;
}

export function wirePage<Row, Item>(
  page: ReadPage<Row> & { readonly total: number },
  dto: (row: Row) => Item,
): Page<Item> & { total: number };
export function wirePage<Row, Item>(page: ReadPage<Row>, dto: (row: Row) => Item): Page<Item>;
export function wirePage<Row, Item>(
  { items, total, nextCursor }: ReadPage<Row>,
  dto: (row: Row) => Item,
): Page<Item> {
  return {
    items: items.map(dto),
    ...(total !== undefined && { total }),
    ...(nextCursor !== undefined && { next_cursor: nextCursor }),
  };
}

/** Whether one of the texts contains the words; without words every row does. */
export const hasText = (words: string | undefined, ...texts: (string | undefined)[]): boolean =>
  words === undefined || texts.some((text) => text?.toLowerCase().includes(words.toLowerCase()));

/** A name or an email address, as it stands in a cursor. */
export const isWord = (text: string): boolean => /^\S{1,400}$/.test(text);
