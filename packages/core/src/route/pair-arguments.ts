/**
 * Two things for two parameters that are told apart by a mark alone: "between Boston and York" for `origin` and `destination`, "Aries with
 * Gemini" for `sign1` and `sign2`.
 */
import { isTaken, isText, type Mapping } from "./mapping.ts";
import { kindOf, type ParameterKind } from "./parameter-kind.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { FoundValue } from "./task-values.ts";

const MARKS: readonly (readonly [first: RegExp, second: RegExp])[] = [
  [/(?<=^|[a-z_])(?:1|_?a|_?one)$|^first(?=_|[A-Z])/, /(?<=^|[a-z_])(?:2|_?b|_?two)$|^second(?=_|[A-Z])/],
  [
    /^(?:start|from|origin|source|departure|pickup)(?:ing)?/i,
    /^(?:end|to|destination|target|arrival|dropoff)(?:ing)?/i,
  ],
];
const NAME = String.raw`(?:(?:the|el|la|le|der|die|das)\s+)?\p{Lu}[\p{L}\d'’.&-]*(?:\s+(?:(?:of|de|du|la|le|del|do|da|am|the)\s+)?\p{Lu}[\p{L}\d'’.&-]*)*(?:,\s+\p{Lu}[\p{L}.]+(?:\s+\p{Lu}[\p{L}.]+)*)?`;
const WORD = String.raw`[\p{L}\d][\p{L}\d_-]*`;
const JOINED: readonly (readonly [before: string, between: string])[] = [
  ["from|von|aus|desde|de|depuis", "to|nach|bis|zu|a|hasta|à|para|até"],
  ["between|zwischen|entre", "and|und|y|et|e"],
  ["", "and|with|versus|vs\\.?|against|und|mit|gegen|y|con|contra|et|avec|contre|e|com"],
];

/** The two values by the parameters' names; nothing where more than two parameters are of the pair's kind. */
export function pairArguments(parameters: readonly ParameterSchema[], mapping: Mapping): Map<string, string> {
  const found = new Map<string, string>();
  const [first, second, ...others] = parameters.filter(takesName);
  if (!first || !second || others.length > 0 || !isPair(first.name, second.name)) return found;
  const alike = mapping.parameters.filter(
    ({ name }) => /\d$/.test(name) && baseOf(name) === baseOf(first.name),
  );
  if (alike.length > 2) return found;
  const pair = twoIn(mapping);
  if (!pair) return found;
  [first, second].forEach(({ name }, at) => {
    const value = pair[at];
    if (value) {
      mapping.used.add(value);
      found.set(name, value.text.replace(/^(?:the|el|la|le|der|die|das)\s+/i, ""));
    }
  });
  return found;
}

const baseOf = (name: string): string => name.replace(/\d+$/, "");

/** `start` and `end` read like dates; a pair of names says that they are not. */
const TAKING = new Set<ParameterKind | undefined>([undefined, "place", "name", "date"]);
const takesName = ({ name, schema, required }: ParameterSchema): boolean =>
  required &&
  isText(schema) &&
  !Array.isArray(schema.enum) &&
  TAKING.has(kindOf({ name, schema })) &&
  MARKS.flat().some((mark) => mark.test(name));

const isPair = (one: string, other: string): boolean =>
  MARKS.some(([first, second]) => first.test(one) && second.test(other));

/** "cats and dogs" may be anything: plain words need a preposition. */
const PATTERNS: readonly RegExp[] = [NAME, WORD].flatMap((item) =>
  JOINED.filter(([before]) => item === NAME || before !== "").map(([before, between]) => {
    const ahead = before === "" ? "(?<!\\p{L})" : `(?<!\\p{L})(?i:${before})\\s+`;
    return new RegExp(`${ahead}(${item}),?\\s+(?i:${between})\\s+(${item})`, "du");
  }),
);

function twoIn(mapping: Mapping): readonly [FoundValue, FoundValue] | undefined {
  for (const pattern of PATTERNS) {
    const [, one, other] = pattern.exec(mapping.task)?.indices ?? [];
    if (!one || !other) continue;
    const pair = [valueAt(one, mapping.task), valueAt(other, mapping.task)] as const;
    if (!pair.some((value) => isTaken(value, mapping))) return pair;
  }
  return undefined;
}

const valueAt = ([at, end]: readonly [number, number], task: string): FoundValue => ({
  kind: "quoted",
  text: task.slice(at, end).replace(/[.]$/, ""),
  at,
  end,
});
