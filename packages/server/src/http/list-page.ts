/** Lists that are read whole and answered in pages: what a page looks like, and the text filter. */

interface ReadPage<Row> {
  readonly items: readonly Row[];
  readonly total: number;
  readonly nextCursor?: string;
}

export const wirePage = <Row, Item>(
  { items, total, nextCursor }: ReadPage<Row>,
  dto: (row: Row) => Item,
) => ({
  items: items.map(dto),
  total,
  ...(nextCursor !== undefined && { next_cursor: nextCursor }),
});

/** Whether one of the texts contains the words; without words every row does. */
export const hasText = (words: string | undefined, ...texts: (string | undefined)[]): boolean =>
  words === undefined || texts.some((text) => text?.toLowerCase().includes(words.toLowerCase()));

/** A name or an email address, as it stands in a cursor. */
export const isWord = (text: string): boolean => /^\S{1,400}$/.test(text);
