/** With their places, for lists in which the same may stand twice: two variants of one name, two equal calls. */
export const numbered = <T>(items: readonly T[]): { readonly at: number; readonly item: T }[] =>
  items.map((item, at) => ({ at, item }));
