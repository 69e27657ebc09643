/** State while filling one tool's parameters: values in the text, values used, values guessed. */
import type { JsonSchema, JsonValue } from "../schema.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { FoundValue, ValueKind } from "./task-values.ts";

export interface PayloadHints {
  /** Fields with the same value in every call. */
  readonly constants?: Readonly<Record<string, JsonValue>>;
  /** The IANA time zone of a place named in a text. */
  readonly timezoneOf?: (text: string) => string | undefined;
  /** The English name of a place that another language calls differently. */
  readonly placeOf?: (text: string) => string | undefined;
  /** Today, to resolve "tomorrow". */
  readonly now?: Date;
  /** The task in English words, when it is in another language: choices and switches are in English. */
  readonly inEnglish?: (text: string) => string;
  /** The capability's name: "on github" is not a value. */
  readonly calledNames?: readonly string[];
  /** What the tool says of itself. Only then the one thing that is left of the task is taken for a required text. */
  readonly about?: string;
  /** The path of an operation: "pod web-0" fills `/pods/{name}`. */
  readonly path?: string;
}

export interface Mapping {
  readonly task: string;
  readonly values: readonly FoundValue[];
  readonly used: Set<FoundValue>;
  readonly guessed: Set<string>;
  readonly hints: PayloadHints;
  readonly parameters: readonly ParameterSchema[];
}

export function take({ values, used }: Mapping, kind: ValueKind): string | undefined {
  const found = values.find((value) => value.kind === kind && !used.has(value));
  if (found) used.add(found);
  return found?.text;
}

export const isText = ({ type }: JsonSchema): boolean => type === "string" || type === undefined;

/** Whether a part of it is a value already. */
export const isTaken = (found: FoundValue, { used }: Mapping): boolean =>
  [...used].some(({ at, end }) => at < found.end && end > found.at);

/** A part of a name is not a value: the 0 of "web-0". */
export function useUp({ task, values, used }: Mapping, names: Iterable<string>): void {
  for (const name of names) {
    const from = task.indexOf(name);
    const end = from + name.length;
    for (const value of values) if (value.at < end && value.end > from) used.add(value);
  }
}
