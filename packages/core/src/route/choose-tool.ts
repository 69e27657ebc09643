/** Which of these tools a sentence asks for. Words only, no embeddings: light enough for a model that runs in the process. */
import type { JsonSchema } from "../schema.ts";
import { type AnyTool, riskOf } from "../tool.ts";
import { actionBits, documentActions, isActionVerb, isSameDeed, verbsIn } from "./actions.ts";
import { withoutMention } from "./capability-mention.ts";
import { directionFit } from "./direction.ts";
import { candidatesFor } from "./features.ts";
import { withFileKinds } from "./file-kinds.ts";
import { evidence, type FusionWeights, fieldOf, toScore } from "./fusion.ts";
import { inEnglish } from "./gloss.ts";
import type { PayloadHints } from "./mapping.ts";
import { type Endpoint, type OperationFit, operationFit, withoutNames } from "./operation.ts";
import { withOperators } from "./operators.ts";
import { parametersOf } from "./parameters.ts";
import { mapPayload } from "./payload.ts";
import { createRouteIndex, type RouteIndex } from "./route-index.ts";
import { stem } from "./stem.ts";
import { readTask } from "./task.ts";
import { findValues } from "./task-values.ts";
import { boundedText, identifierWords, isStopTerm, words } from "./text.ts";
import { weightsFor } from "./weights.ts";

export interface ToolChoice {
  readonly name: string;
  /** Higher is better; comparable only among the tools of one sentence. */
  readonly score: number;
}

export interface ChoosableTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Tools have names and descriptions but no triggers, so a mentioned name outweighs the rest. */
const WEIGHTS: FusionWeights = {
  plain: { words: 2, phrase: 1, name: 4, cover: 1, action: 1 },
  relative: { words: 1, name: 1 },
  doubt: {},
};

export function chooseTool(sentence: string, tools: readonly ChoosableTool[]): ToolChoice[] {
  const index = createRouteIndex();
  for (const { name, description, inputSchema } of tools) {
    index.add({
      id: name,
      name,
      description,
      params: parametersOf(inputSchema).map((parameter) => parameter.name),
      needsUrl: "url" in propertiesOf(inputSchema),
    });
  }
  const task = readTask(sentence, undefined);
  const candidates = candidatesFor(task, index);
  const field = fieldOf(candidates);
  return candidates
    .map((candidate) => ({
      name: candidate.entry.document.id,
      score: toScore(evidence(candidate, field, WEIGHTS), WEIGHTS),
    }))
    .filter(({ score }) => score > 0)
    .sort(byScore);
}

/** Weight of each kind of evidence relative to words and meaning, which are 0 to 1 here. */
const OPERATION_WEIGHTS: Readonly<Record<keyof OperationFit, number>> = {
  method: 0.35,
  places: 0.3,
  unsaid: 0.1,
  end: 0.25,
  own: 0.15,
  verb: 0.2,
};

const ADDRESS_CHARS = 2_000; // a task names things at its beginning; what is pasted below it is content

/** Weight of a tool's own declaration relative to words and meaning. */
const DECLARED_WEIGHTS = {
  direction: 0.5,
  question: 0.2,
  missing: 0.25,
  placed: 0.06,
  spare: 0.1,
  unsaid: 0.1,
  now: 0.3,
  verb: 0.25,
  opening: 0.35,
};
const LOOKED_AT = 8; // arguments are only tried for the best of an API's thousand operations
const QUESTION =
  /[?？]\s*$|^\s*(?:what|which|who|whose|when|where|how|is|are|do|does|did|has|have|show|list|display)\b/i;

export type DeclaredTool = Pick<AnyTool, "description" | "endpoint" | "risk"> & {
  readonly input: Pick<AnyTool["input"], "jsonSchema">;
};

export interface RankedTools {
  readonly index: RouteIndex;
  /** Undefined for a tool that is left out. */
  readonly toolOf: (name: string) => DeclaredTool | undefined;
  readonly hints?: PayloadHints;
}

/** The tools of one capability, best first: by words and meaning, and by what each tool declares. */
export function rankTools(said: string, { index, toolOf, hints }: RankedTools): ToolChoice[] {
  const { fusion } = weightsFor(index.embed);
  const sentence = withoutMention(said, hints?.calledNames ?? []);
  const text = inEnglish(boundedText(sentence).slice(0, ADDRESS_CHARS), index);
  const task = readTask(withoutNames(withFileKinds(withOperators(text))), index.embed);
  const candidates = candidatesFor(task, index, ({ document }) => toolOf(document.id) !== undefined);
  const field = fieldOf(candidates);
  const scored = candidates.map((candidate) => ({
    name: candidate.entry.document.id,
    score: toScore(evidence(candidate, field, fusion), fusion),
  }));
  const best = Math.max(...scored.map(({ score }) => score), Number.MIN_VALUE);
  const ranked = scored
    .map(({ name, score }) => ({
      name,
      score: score / best + addressScore(text, toolOf(name)?.endpoint),
    }))
    .sort(byScore);
  return ranked
    .map(({ name, score }, at) => {
      const tool = at < LOOKED_AT ? toolOf(name) : undefined;
      return {
        name,
        score: score + (tool ? declaredScore({ sentence, english: text, name }, tool, hints) : -1),
      };
    })
    .sort(byScore);
}

/** A tool whose input is missing fits worse than one whose input is there, and a question asks for no action. */
function declaredScore(
  { sentence, english, name }: { readonly sentence: string; readonly english: string; readonly name: string },
  tool: DeclaredTool,
  hints: PayloadHints = {},
): number {
  const { description, input, endpoint } = tool;
  const weights = DECLARED_WEIGHTS;
  const opening = isOpening(english, name, input.jsonSchema) ? weights.opening : 0;
  const direction = directionFit(sentence, description, english) * weights.direction + opening;
  if (endpoint) return direction; // its path covers the rest
  const { missing, placed, spare } = mapPayload(sentence, input.jsonSchema, hints);
  const unsaid = english === sentence ? unsaidWords(english, name) : 0; // a dictionary has one word of several
  const asks = QUESTION.test(sentence) ? (riskOf(tool) === "read" ? 1 : -1) : 0;
  const verb = verbFit(english, name, description);
  const other = ONLY_NOW.test(description) && isAboutLater(english, hints.now) ? 1 : 0;
  return (
    direction +
    verb * weights.verb +
    asks * weights.question -
    missing.length * weights.missing +
    placed * weights.placed -
    spare * weights.spare -
    unsaid * weights.unsaid -
    other * weights.now
  );
}

/**
 * 1 when the task's first verb is of the tool's kind ("save" and `write_file`), -1 when both have a verb and they differ. Finding,
 * listing and showing differ too little to speak against a tool.
 */
function verbFit(english: string, name: string, description: string): number {
  const [verb] = verbsIn(words(english));
  const own = documentActions({ name, description: "" }) || documentActions({ name: "", description });
  if (verb === undefined || own === 0) return 0;
  const asked = actionBits([verb]);
  if (isSameDeed(asked, own)) return 1;
  return (asked & LOOKING) !== 0 && (own & LOOKING) !== 0 ? 0 : -1;
}

/** Words of its name that the task does not say: "history" of `stories-get-history` for "show story 5120". */
function unsaidWords(english: string, name: string): number {
  const said = new Set(words(english).map(stem));
  return words(identifierWords(name)).filter(
    (word) => word.length > 2 && !isStopTerm(word) && !isActionVerb(word) && !said.has(stem(word)),
  ).length;
}

/** The task begins with the tool's own verb ("remember that" for `remember_fact`) or with one of its states: "pause" for `paused`. */
function isOpening(english: string, name: string, schema: JsonSchema): boolean {
  const [first, second] = words(english.replace(/^\W*(?:please|now)\b/i, ""));
  if (first === undefined || second === undefined) return false;
  const [own, thing] = words(identifierWords(name));
  if (own === first && thing !== undefined && !isActionVerb(first)) return true;
  return parametersOf(schema)
    .flatMap(({ schema: { enum: choices } }) => (Array.isArray(choices) ? choices : []))
    .some(
      (choice) =>
        typeof choice === "string" &&
        choice.toLowerCase() !== first &&
        stem(choice.toLowerCase()) === stem(first),
    );
}

const LOOKING = actionBits(["search", "list", "fetch", "check"]);

/** "current weather" does not answer a question about tomorrow. */
const ONLY_NOW = /\b(?:current|currently|right now)\b/i;

function isAboutLater(sentence: string, now = new Date()): boolean {
  const today = now.toISOString().slice(0, 10);
  return (
    /\bnext (?:\S+ )?(?:days?|weeks?)\b/i.test(sentence) ||
    findValues(sentence, now).some(({ kind, text }) => kind === "date" && text.slice(0, 10) > today)
  );
}

function addressScore(task: string, endpoint: Endpoint | undefined): number {
  if (!endpoint) return 0;
  const fit = operationFit(task, endpoint);
  const kinds = Object.entries(OPERATION_WEIGHTS) as [keyof OperationFit, number][];
  return kinds.reduce((sum, [kind, weight]) => sum + weight * fit[kind], 0);
}

const byScore = (a: ToolChoice, b: ToolChoice): number => b.score - a.score || (a.name < b.name ? -1 : 1);

/** The steps a sentence asks for: "write x to y and read it back" has two. */
export function stepsOf(sentence: string): string[] {
  const pieces = sentence
    .split(/[.;!?]\s+|,?\s+(?:and then|then|after that|afterwards|finally)\s+/i)
    .flatMap((part) => {
      const steps: string[] = [];
      for (const piece of part.split(/,?\s+and\s+/i)) {
        const startsStep = isActionVerb(/^[\w']+/.exec(piece)?.[0].toLowerCase() ?? "");
        const before = steps.at(-1);
        if (before === undefined || startsStep) steps.push(piece.trim());
        else steps[steps.length - 1] = `${before} and ${piece.trim()}`;
      }
      return steps;
    });
  return pieces.filter((piece) => piece !== "");
}

const propertiesOf = (schema: JsonSchema): object =>
  typeof schema.properties === "object" && schema.properties !== null ? schema.properties : {};
