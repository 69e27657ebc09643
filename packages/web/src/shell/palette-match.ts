/** How well what is typed names an entry of the palette: whole words and their beginnings, no letters here and there. */

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** 0: not at all. The entry's name counts for more than the other words by which it is found. */
export function matchScore(typed: string, name: string, also = ""): number {
  const wanted = words(typed);
  const inName = words(name);
  const known = [...inName, ...words(also)];
  const begins = (among: readonly string[]) =>
    wanted.every((word) => among.some((each) => each.startsWith(word)));
  if (wanted.length === 0 || inName.join(" ").startsWith(wanted.join(" "))) return 1;
  if (begins(inName)) return 0.8;
  if (begins(known)) return 0.5;
  return known.join(" ").includes(wanted.join(" ")) ? 0.3 : 0;
}
