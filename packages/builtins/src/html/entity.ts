/** Entities in text: `&amp;`, `&#8212;`, and those old pages write without a semicolon. */
import { decodeHTML } from "entities";

const ENTITY = /&(?:#[xX]?[\da-fA-F]{1,8}|[a-zA-Z][a-zA-Z\d]{1,31});?/y;
const MAX_REMEMBERED = 500; // pages use few; a hostile one must not fill the memory
const remembered = new Map<string, string>();

export interface DecodedEntity {
  readonly text: string;
  /** Where the source goes on. */
  readonly end: number;
}

/** Reads the entity at `at`; a lone `&` stands for itself. */
export function entityAt(html: string, at: number, end: number): DecodedEntity {
  ENTITY.lastIndex = at;
  const source = ENTITY.exec(html)?.[0];
  if (source === undefined || at + source.length > end) return { text: "&", end: at + 1 };
  return { text: decoded(source), end: at + source.length };
}

/** Text in which nothing but entities has a meaning. */
export function decodeText(text: string): string {
  return text.includes("&") ? decodeHTML(text) : text;
}

function decoded(source: string): string {
  const known = remembered.get(source);
  if (known !== undefined) return known;
  const text = decodeHTML(source);
  if (remembered.size < MAX_REMEMBERED) remembered.set(source, text);
  return text;
}
