/** Assigns numbers of a task to numeric parameters: by the word before it, by the parameter's name next to it, otherwise in order. */
import type { JsonSchema } from "../schema.ts";
import type { Mapping } from "./mapping.ts";
import type { ParameterSchema } from "./parameters.ts";
import { type FoundValue, numberOf, rangeOf } from "./task-values.ts";

export function numberFor({ name, schema, required }: ParameterSchema, mapping: Mapping): number | undefined {
  const said = name
    .toLowerCase()
    .split(/[_-]/)
    .filter((word) => word.length > (word === name ? 2 : 3));
  const mustBeSaid = !required && mapping.hints.path !== undefined;
  const free = mapping.values.filter((value) => value.kind === "number" && !mapping.used.has(value));
  const behind = free.find(({ at }) => wordBehind(schema)?.test(mapping.task.slice(0, at)));
  const near = free.find(({ at, end }) => {
    const around = mapping.task
      .slice(Math.max(0, at - name.length - 12), end + name.length + 12)
      .toLowerCase();
    return said.some((word) => around.includes(word.replace(/s$/, "")));
  });
  const inOrder = schema.default === undefined && !mustBeSaid;
  const chosen = behind ?? near ?? (inOrder ? free[0] : undefined);
  if (!chosen) return inOrder && required ? rangeEnd(name, mapping) : undefined;
  if (!behind && !near && !required) mapping.guessed.add(name);
  mapping.used.add(chosen);
  const number = numberOf(chosen);
  return schema.type === "integer" ? Math.trunc(number) : number;
}

const LAST = /^(last|end|to|until|max|maximum|stop|upper)([_-]|$)|[_-](end|to|last)$/i;

/** "pages 10-12": the end of a range goes to `last`, its start to any other parameter. */
function rangeEnd(name: string, { values }: Mapping): number | undefined {
  const range = values.map((value: FoundValue) => rangeOf(value)).find((each) => each !== undefined);
  return range?.[LAST.test(name) ? 1 : 0];
}

/** "The number to subtract from." ends in the word that precedes its number: "subtract 5 from 20". */
function wordBehind({ description }: JsonSchema): RegExp | undefined {
  const word = /\b(by|from|into)(?=[.;,]|$)/i.exec(typeof description === "string" ? description : "")?.[1];
  return word === undefined ? undefined : new RegExp(`\\b${word}\\s+$`, "i");
}
