/**
 * Removes secrets and personal data from a value before it is stored as a test. The same text gets the same placeholder
 * everywhere in the value, so that a call whose argument came from the message still matches its recorded result.
 */
import type { JsonValue } from "../schema.ts";
import { type FindSpans, masked, type TextKind } from "../text-checks/text-check.ts";

/** What was removed, and where; never the text itself. */
export interface Scrubbed {
  /** As a JSON pointer: `/stubs/0/output/body`. */
  readonly path: string;
  readonly kind: TextKind;
  readonly placeholder: string;
}

/** Fields whose text is a secret whatever it looks like. */
const SECRET_FIELD =
  /^(.*[-_])?(pass(word|wd|phrase)?|secret|api[-_]?key|private[-_]?key|access[-_]?token|refresh[-_]?token|auth[-_]?token|bearer|authorization|credentials?)$/i;

export interface ScrubResult<Value> {
  readonly value: Value;
  readonly scrubbed: readonly Scrubbed[];
}

export function scrub<Value>(
  value: Value,
  finders: Readonly<Partial<Record<TextKind, FindSpans>>>,
): ScrubResult<Value> {
  const known = new Map<string, string>();
  const scrubbed: Scrubbed[] = [];
  const counts = new Map<string, number>();
  const placeholderOf = (kind: TextKind, text: string): string => {
    const had = known.get(text);
    if (had !== undefined) return had;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    const made = `[${kind} ${count}]`;
    known.set(text, made);
    return made;
  };
  const note = (path: string, kind: TextKind, text: string): string => {
    const placeholder = placeholderOf(kind, text);
    scrubbed.push({ path, kind, placeholder });
    return placeholder;
  };
  const inText = (text: string, path: string): string => {
    let said = text;
    for (const [kind, find] of Object.entries(finders) as [TextKind, FindSpans][])
      said = said
        .split("\n")
        .map((line) => replaceAll(line, find, (found) => note(path, kind, found)))
        .join("\n");
    return said;
  };
  const walk = (each: JsonValue, path: string, field: string): JsonValue => {
    if (typeof each === "string")
      return SECRET_FIELD.test(field) && each !== "" ? note(path, "secret", each) : inText(each, path);
    if (Array.isArray(each)) return each.map((entry, at) => walk(entry, `${path}/${at}`, field));
    if (each === null || typeof each !== "object") return each;
    return Object.fromEntries(
      Object.entries(each).map(([name, entry]) => [
        name,
        entry === undefined ? entry : walk(entry, `${path}/${pointerPart(name)}`, name),
      ]),
    ) as JsonValue;
  };
  const first = walk(value as JsonValue, "", "");
  // A secret recognised by its field is also removed from sentences that contain it.
  const clean = known.size === 0 ? first : withoutKnown(first, "", known, scrubbed);
  return { value: clean as Value, scrubbed };
}

const SHORTEST_KNOWN = 6; // a shorter one would be found inside ordinary words

function withoutKnown(
  value: JsonValue,
  path: string,
  known: ReadonlyMap<string, string>,
  scrubbed: Scrubbed[],
): JsonValue {
  if (typeof value === "string") {
    let text = value;
    for (const [secret, placeholder] of known) {
      if (secret.length < SHORTEST_KNOWN || !text.includes(secret)) continue;
      text = text.replaceAll(secret, placeholder);
      scrubbed.push({ path, kind: kindOf(placeholder), placeholder });
    }
    return text;
  }
  if (Array.isArray(value))
    return value.map((entry, at) => withoutKnown(entry, `${path}/${at}`, known, scrubbed));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [
      name,
      entry === undefined ? entry : withoutKnown(entry, `${path}/${pointerPart(name)}`, known, scrubbed),
    ]),
  ) as JsonValue;
}

const kindOf = (placeholder: string): TextKind => placeholder.slice(1).split(" ")[0] as TextKind;

/** Each found text gets its own placeholder. */
function replaceAll(line: string, find: FindSpans, placeholder: (found: string) => string): string {
  let text = line;
  for (const [start, end] of find(line).toSorted(([a], [b]) => b - a))
    text = masked(text, [[start, end]], placeholder(line.slice(start, end)));
  return text;
}

const pointerPart = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
