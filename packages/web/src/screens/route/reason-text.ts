/** The reasons of a match in words. The API keeps them as the specification says: `trigger:…`, `semantic:0.94 "…"`. */
import { percent } from "../../kit/words.ts";

const SIMILAR = /^(\d(?:\.\d+)?) "(.*)"$/s;

const likeness = (what: string) => (rest: string) => {
  const [, part, text] = SIMILAR.exec(rest) ?? [];
  return part === undefined ? `${what}: ${rest}` : `${what} (${percent(Number(part))}): “${text}”`;
};

const TEXTS: Readonly<Record<string, (rest: string) => string>> = {
  trigger: (rest) => `matches the trigger “${rest}”`,
  tag: (rest) => `has the tag “${rest}”`,
  name: (rest) => `its name says “${rest}”`,
  words: (rest) => `its description says “${rest}”`,
  action: (rest) => `can “${rest}”`,
  domain: (rest) => `is about ${rest}`,
  similar: likeness("similar text"),
  semantic: likeness("similar meaning"),
};

/** A reason of another kind stays as it is. */
export function reasonText(reason: string): string {
  const at = reason.indexOf(":");
  const kind = reason.slice(0, Math.max(0, at));
  return Object.hasOwn(TEXTS, kind) ? (TEXTS[kind]?.(reason.slice(at + 1)) ?? reason) : reason;
}
