/**
 * Words of a task that neither the call holds nor the tool speaks of: "yellow" of "post a yellow status update" where the chosen tool
 * renames projects. They suggest that another tool is meant or that a part of the task would be lost; a step that changes something is
 * then proposed instead of executed.
 */
import type { Capability } from "../capability.ts";
import type { JsonValue } from "../schema.ts";
import { actionBits, documentActions, isActionVerb, isSameDeed } from "./actions.ts";
import type { ChoosableTool } from "./choose-tool.ts";
import { isRecord, parametersOf } from "./parameters.ts";
import { stem } from "./stem.ts";
import type { FoundValue } from "./task-values.ts";
import { contentTerms, identifierWords, words } from "./text.ts";
import { spokenForms } from "./value-names.ts";

export interface Heard {
  /** The task in English, without the values that the call holds. */
  readonly rest: string;
  readonly payload: Readonly<Record<string, JsonValue>>;
  readonly capability: Pick<Capability, "id" | "name" | "description" | "routing">;
  readonly tool: ChoosableTool;
}

/** The text without the words that a value is in. */
export function withoutWordsOf(values: readonly FoundValue[], text: string): string {
  const isLetter = (at: number): boolean => /[\p{L}\p{M}\d]/u.test(text[at] ?? "");
  const left = text.split("");
  for (const { at, end } of values) {
    let [from, to] = [at, end];
    while (isLetter(from) && isLetter(from - 1)) from -= 1;
    while (isLetter(to) && isLetter(to - 1)) to += 1;
    left.fill(" ", from, to);
  }
  return left.join("");
}

/** "two-masted", "ketch-like": adjectives that describe what is named beside them. */
const DESCRIPTIVE = /(?<!\p{L})\p{L}*-(?:like|style|ish|sized|looking|friendly|\p{L}+ed)(?!\p{L})/giu;

/** How people ask, whatever they ask for. */
const ASKING = new Set(
  `please thank thanks hi hello hey ok okay now new exist current same one thing everything all each every again also too only up out over
   down off back away under after before during until while without inside onto via per call name title entitl say said follow make do
   set put take use go turn run let via right yet still here already kindly go ahead sure quickli thei called named titled saying says
   save write wish`.split(/\s+/),
);

export function unheardWords({ rest, payload, capability, tool }: Heard): string[] {
  const known = new Set(contentTerms(spokenOf(capability, tool)));
  const own = documentActions({ name: tool.name, description: "" }) || documentActions(tool);
  const held = new Set(words(JSON.stringify(payload)).map(stem));
  const isHeard = (word: string): boolean => {
    const term = stem(word);
    return (
      word.length < 2 ||
      /\d/.test(word) ||
      contentTerms(word).length === 0 ||
      ASKING.has(term) ||
      ASKING.has(word) ||
      known.has(term) ||
      held.has(term) ||
      (isActionVerb(word) && isSameDeed(actionBits([word]), own))
    );
  };
  return [...new Set(words(rest.replaceAll(DESCRIPTIVE, " ")).filter((word) => !isHeard(word)))];
}

function spokenOf({ id, name, description, routing = {} }: Heard["capability"], tool: ChoosableTool): string {
  const own = [
    id,
    name,
    description,
    ...(routing.tags ?? []),
    ...(routing.triggers ?? []),
    ...(routing.actions ?? []),
  ];
  const inputs = parametersOf(tool.inputSchema).flatMap((each) => [
    each.name,
    String(each.schema.description ?? ""),
    ...choicesIn(each.schema).flatMap(spokenForms),
  ]);
  return identifierWords([...own, tool.name, tool.description, ...inputs].join(" "));
}

function choicesIn({ enum: choices, items }: Readonly<Record<string, unknown>>): string[] {
  const all = choices ?? (isRecord(items) ? items.enum : undefined);
  return Array.isArray(all) ? all.filter((choice) => typeof choice === "string") : [];
}
