/**
 * Removes secrets and personal data from a value before it is stored as a test. The same text gets the same placeholder
 * everywhere in the value, so that a call whose argument came from the message still matches its recorded result.
 */
import type { JsonValue } from "../schema.ts";
import { type FindSpans, masked, type Span, type TextKind } from "../text-checks/text-check.ts";
import { isSecretField, namedSecrets } from "./named-secrets.ts";

/** What was removed, and where; never the text itself. */
export interface Scrubbed {
  /** As a JSON pointer: `/stubs/0/output/body`. */
  readonly path: string;
  readonly kind: TextKind;
  readonly placeholder: string;
}

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
    let said = replaceAll(text, namedSecrets(text), (found) => note(path, "secret", found));
    for (const [kind, find] of Object.entries(finders) as [TextKind, FindSpans][])
      said = said
        .split("\n")
        .map((line) => replaceAll(line, find(line), (found) => note(path, kind, found)))
        .join("\n");
    return said;
  };
  const inObject = (each: { [name: string]: JsonValue }, path: string, isSecret: boolean): JsonValue =>
    Object.fromEntries(
      Object.entries(each).map(([name, entry]) => {
        const clean = inText(name, path); // a table may have keys for its names
        const isInside = isSecret || (isSecretField(name) && !isSchema(entry));
        return [clean, entry === undefined ? entry : walk(entry, `${path}/${pointerPart(clean)}`, isInside)];
      }),
    );
  /** `isSecret`: a field around it says so. */
  const walk = (each: JsonValue, path: string, isSecret: boolean): JsonValue => {
    if (Array.isArray(each)) return each.map((entry, at) => walk(entry, `${path}/${at}`, isSecret));
    if (each !== null && typeof each === "object") return inObject(each, path, isSecret);
    if (isSecret && (typeof each === "number" || (typeof each === "string" && each !== "")))
      return note(path, "secret", String(each));
    return typeof each === "string" ? inText(each, path) : each;
  };
  const first = walk(value as JsonValue, "", false);
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

/** Each found text gets its own placeholder. Of two that overlap, the one that begins first counts, up to where the other ends. */
function replaceAll(text: string, spans: readonly Span[], placeholder: (found: string) => string): string {
  const apart: [number, number][] = [];
  for (const [start, end] of spans.toSorted(([a], [b]) => a - b)) {
    const last = apart.at(-1);
    if (last && start < last[1]) last[1] = Math.max(last[1], end);
    else apart.push([start, end]);
  }
  let said = text;
  for (const [start, end] of apart.toReversed())
    said = masked(said, [[start, end]], placeholder(text.slice(start, end)));
  return said;
}

/** Says what a field may be, not what it is: `password: {type: "string"}`. */
const isSchema = (value: JsonValue): boolean =>
  /^(string|number|integer|boolean|object|array|null)$/.test(String(Object(value).type));

const pointerPart = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1");
