/** Adds positions to entries, for lists that may contain duplicates: two variants with one name, two equal calls. */
export const numbered = <T>(items: readonly T[]): { readonly at: number; readonly item: T }[] =>
  items.map((item, at) => ({ at, item }));
