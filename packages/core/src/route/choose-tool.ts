/** Which of these tools does a sentence ask for? Words alone, no embeddings: light enough for a model that runs in the process. */
import type { JsonSchema } from "../schema.ts";
import { isActionVerb } from "./actions.ts";
import { candidatesFor } from "./features.ts";
import { evidence, type FusionWeights, fieldOf, toScore } from "./fusion.ts";
import { parametersOf } from "./parameters.ts";
import { createRouteIndex } from "./route-index.ts";
import { readTask } from "./task.ts";

export interface ToolChoice {
  readonly name: string;
  /** Between 0 and 10. */
  readonly score: number;
}

export interface ChoosableTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}

/** Tools have names and descriptions but no triggers, so a name that is said outweighs the rest. */
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
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}

/** What a sentence asks for, one thing after the other: "write x to y and read it back" are two. */
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
