/** Entities in text: `&amp;`, `&#8212;`, and those written without a semicolon in old pages. */
import { decodeHTML } from "entities";

const ENTITY = /&(?:#[xX]?[\da-fA-F]{1,8}|[a-zA-Z][a-zA-Z\d]{1,31});?/y;
const MAX_REMEMBERED = 500; // pages use few; a hostile one must not fill the memory
const remembered = new Map<string, string>();

export interface DecodedEntity {
  readonly text: string;
  /** Offset after the entity. */
  readonly end: number;
}

/** Decodes the entity at `at`; a lone `&` is kept. */
export function entityAt(html: string, at: number, end: number): DecodedEntity {
  ENTITY.lastIndex = at;
  const source = ENTITY.exec(html)?.[0];
  if (source === undefined || at + source.length > end) return { text: "&", end: at + 1 };
  return { text: decoded(source), end: at + source.length };
}

/** Text with nothing special but entities. */
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
