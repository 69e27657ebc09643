/**
 * Chooses a tool and its arguments for a sentence. A tool is called only when most of the sentence's words are
 * explained by the tool or its arguments, and no argument was guessed: the demo asks rather than guesses.
 */
import type { JsonSchema, JsonValue } from "@capstan/core";
import {
  type ChoosableTool,
  chooseTool,
  contentTerms,
  identifierWords,
  mapPayload,
} from "@capstan/core/internal";
import { placeOf, placeWords, timezoneOf } from "../city-zones.ts";
import { isOrder, mayDestroy } from "./is-order.ts";
import type { Call } from "./turn.ts";

export type Choice = { readonly call: Call } | { readonly tool: string; readonly lacking: readonly string[] };

const LEAST_SCORE = 1.6; // of 10: below, tool and message share words by chance
const LEAST_EXPLAINED = 0.6; // share of the words that the tool or its arguments account for, before it is called
const LEAST_TO_ASK = 0.3; // the same, for a known saying, before the demo asks for what is missing
const CONSIDERED = 5;
const SHORT_CHARS = 40; // as long as a question for the time anywhere is; in a longer text it may be a remark
const EXPLAINED_WEIGHT = 3;
const PLACED_BONUS = 1.2;
const LACKING_PRICE = 1.5;

/** "What time is it?" in eleven other languages. */
const WHAT_TIME_ABROAD =
  /\bwie (?:spät|viel uhr) ist es\b|\bquelle heure est-il\b|\bqu[eé] hora es\b|\bche or[ae] (?:è|sono)\b|\bque horas são\b|\bque hora é(?!\p{L})|\bhoe laat is het\b|(?<!\p{L})(?:который час|сколько времени|котра година)|今何時|何時ですか|现在几点|几点了|現在幾點|幾點了|지금 몇 시|몇 시(?:예요|야|입니까)/iu;
/** Everyday phrases for tools with other names; the words on the right are added to what is ranked. */
const SAYINGS: readonly (readonly [said: RegExp, meant: string])[] = [
  [/\bplan\b|\bto-?dos?\b|\bchecklist\b|\bremind\b/i, "todos tasks"],
  [/\brain(?:s|ing|y)?\b|\bsunny\b|\bsnow(?:s|ing)?\b|\bhow (?:warm|cold|hot)\b/i, "weather"],
  [
    /^(?:remove|erase|trash|wipe|rm|clear|get rid of)\b|\b(?:lösche?|supprime|borra|elimina|cancella)(?!\p{L})/iu,
    "delete",
  ],
  [
    /^(?:open|show|read|display|view)\s+(?:(?:the|my|a|this|that)\s+)?file[?!. ]*$/i,
    "read file content path",
  ],
  [
    /^(?:create|make|start|begin)\s+(?:me\s+)?(?:a|an|the|my)\s+(?:new\s+|text\s+)?(?:file|document)\b/i,
    "write file",
  ],
  [/\bsave\b|\bnote down\b|\bput\b/i, "write"],
  [
    /\bfolder\b|^(?:list|show|what are|see)\b.*\b(?:my|the|all) files\b|^(?:what|which|do i have any) files\b/i,
    "directory list",
  ],
  [
    /^(?:open|show|cat|print|display|view|see|what(?:'s| is)(?: in(?:side)?)?)(?=(?:\s+\S+){0,4}\s+\S+\.\w{1,5}(?!\S))/i,
    "read content",
  ],
  [/\bwhat(?:'s| is)?(?: the)? (?:day|date)(?: is(?: it)?)?(?: today)?\b|\bhow late\b/i, "current time"],
  [WHAT_TIME_ABROAD, "current time"],
  [/(?<=\d\s*)\b(?:plus|más|mais|più|und)\b(?=\s*\d)/iu, "add two numbers"],
  [/(?<=\d\s*)\b(?:minus|moins|menos|meno|min)\b(?=\s*\d)/i, "subtract two numbers"],
  [/(?<=\d\s*)\b(?:times|mal|fois|por|per|vezes|keer)\b(?=\s*\d)/i, "multiply two numbers"],
  [
    /(?<=\d\s*)\b(?:divided by|geteilt durch|divisé par|dividido (?:por|entre)|diviso|gedeeld door)\b(?=\s*\d)/iu,
    "divide two numbers",
  ],
  [
    /\bhow much is\b|\bcalculate\b|\bwie ?viel ist\b|\bcombien (?:font|fait)\b|\bcuánto es\b|\bquanto (?:fa|é)(?!\p{L})|\bhoeveel is\b/iu,
    "numbers",
  ],
  [
    /^(?:read|open|summari[sz]e|visit|show|browse|load|check(?: out)?|look at|go to|what(?:'s| is| does))(?:\s+\S+){0,4}\s+https?:/i,
    "fetch url",
  ],
  [/^<?https?:\/\/\S+$/i, "fetch url"],
];
/** "example.com/docs" is an address; only endings that no file has. */
const BARE_DOMAIN =
  /(?<![\w@/.:-])((?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|io|dev|ai|app|edu|gov|co|info|de|fr|es|nl|eu|uk|ch|at|jp)(?:\/[^\s,;]*[^\s,;.?!])?)(?![\w-])/gi;
const RUN_CODE =
  /^(?:please\s+)?(?:run|execute|eval(?:uate)?)\s+(?:this\s+|the\s+)?(?:(python|javascript|js|bash|shell)\b)?(?:\s*code)?\s*:?\s*([\s\S]+?)(?:\s+(?:in|with|as)\s+(python|javascript|js|bash|shell)\s*)?$/i;
/** "python: print(1)". */
const LANGUAGE_FIRST = /^(python|javascript|js|bash|shell)\s*:\s*(\S[\s\S]*)$/i;
/** Brackets, or a command with an option: "ls -la". */
const LOOKS_LIKE_CODE = /[(){}[\];=|]|^[\w./-]+ +-/;
/** "Divide 100 by it", "subtract that from 100". */
const RESULT_COMES_SECOND = /\bby (?:it|that|the result)\b|\b(?:it|that|the result) from\b/i;
/** "17% of 350" holds no 17 that may be added. */
const PERCENT = /\d\s*(?:%|percent\b)/i;
/** Words that ask for nothing. */
const FILLERS = /\b(?:please|now|again|back|just|make|give|tell|show|want|need|quickly|everything)\b/gi;
const FENCED = /```(\w*)\n([\s\S]+?)```/;
const LANGUAGE_NAMES: Readonly<Record<string, string>> = { js: "javascript", shell: "bash", py: "python" };

/** What earlier steps of the same message leave to the next one. */
export interface Earlier {
  /** The values of their arguments, by name. */
  readonly values: Readonly<Record<string, JsonValue>>;
  /** The number in the last result. */
  readonly result?: number | undefined;
}

export function chooseCall(
  step: string,
  tools: readonly ChoosableTool[],
  earlier: Earlier,
): Choice | undefined {
  if (!isOrder(step)) return undefined;
  const code = codeChoice(step, tools);
  if (code) return code;
  const sentence = step.replace(BARE_DOMAIN, "https://$1");
  const words = withSayings(sentence);
  const choices = chooseTool(
    words,
    tools.filter(({ name }) => mayDestroy(name, step)),
  )
    .slice(0, CONSIDERED)
    .flatMap(({ name, score }) => {
      const tool = tools.find((each) => each.name === name);
      return tool ? [fitOf(sentence, tool, score, earlier)] : [];
    })
    .filter((fit) => fit.score >= LEAST_SCORE && isNamed(sentence, fit))
    .sort((a, b) => rank(b) - rank(a));
  if (isTie(choices)) return undefined;
  for (const fit of choices) {
    const choice = choiceOf(fit, words !== sentence);
    if (choice) return choice;
  }
  return undefined;
}

/** A call when the words are clear; a question when only an argument is missing. */
function choiceOf({ tool, input, lacking, guessed, explained }: Fit, isSaying: boolean): Choice | undefined {
  if (lacking.length === 0)
    return explained < LEAST_EXPLAINED ? undefined : { call: { tool: tool.name, input } };
  const least = isSaying && !guessed ? LEAST_TO_ASK : LEAST_EXPLAINED;
  return explained < least ? undefined : { tool: tool.name, lacking };
}

const withSayings = (step: string): string =>
  [step, ...SAYINGS.filter(([said]) => said.test(step)).map(([, meant]) => meant)].join(" ");

interface Fit {
  readonly tool: ChoosableTool;
  readonly input: Readonly<Record<string, JsonValue>>;
  readonly lacking: readonly string[];
  readonly explained: number;
  readonly guessed: boolean;
  readonly score: number;
}

/** Words choose a tool; values that fit its parameters count for it, and missing ones against it. */
function fitOf(step: string, tool: ChoosableTool, score: number, earlier: Earlier): Fit {
  const { payload, missing, guessed, placed, unplaced } = mapPayload(step, tool.inputSchema, {
    timezoneOf,
    placeOf,
  });
  const continued = continuedSum(step, tool.inputSchema, earlier.result);
  const input: Record<string, JsonValue> = { ...payload, ...continued };
  const lacking: string[] = [];
  for (const name of new Set([...missing, ...guessed, ...hollow(input, tool)])) {
    if (continued && name in continued) continue;
    delete input[name];
    const known = earlier.values[name];
    if (known !== undefined && typeof known !== "number")
      input[name] = known; // a number belongs to its own step
    else if (isRequired(tool.inputSchema, name)) lacking.push(name);
  }
  for (const name of repeated(input)) if (!isRequired(tool.inputSchema, name)) delete input[name]; // each word is used once
  const explained = explainedShare(step, tool, input, unplaced);
  const fit = score + placed * PLACED_BONUS - lacking.length * LACKING_PRICE;
  return { tool, input, lacking, explained, guessed: guessed.length > 0, score: fit };
}

/** Every value that was said has a place: "add 3 4 and 5" is no sum of two numbers. */
const isWhole = (step: string, tool: ChoosableTool, unplaced: readonly string[]): boolean =>
  unplaced.length === 0 && (!PERCENT.test(step) || ownTerms(tool).has("percent"));

/** "Then subtract 4": the result so far and the one number that is said, for a tool of two numbers. */
function continuedSum(
  step: string,
  { properties, required }: JsonSchema,
  result: number | undefined,
): Readonly<Record<string, number>> | undefined {
  const [first, second, ...others] = Array.isArray(required) ? (required as string[]) : [];
  const [said, ...more] = step.match(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)/g) ?? [];
  if (result === undefined || first === undefined || second === undefined || said === undefined)
    return undefined;
  if (others.length > 0 || more.length > 0) return undefined;
  const schemas = properties as Readonly<Record<string, JsonSchema | undefined>> | undefined;
  if (schemas?.[first]?.type !== "number" || schemas[second]?.type !== "number") return undefined;
  return RESULT_COMES_SECOND.test(step)
    ? { [first]: Number(said), [second]: result }
    : { [first]: result, [second]: Number(said) };
}

/** "How much is 3 and 4": the words fit adding as well as dividing, so either would be a guess. */
function isTie([first, second]: readonly Fit[]): boolean {
  if (!first || !second || first.lacking.length > 0 || Object.keys(first.input).length === 0) return false;
  return rank(first) === rank(second) && JSON.stringify(first.input) === JSON.stringify(second.input);
}

const rank = ({ score, explained }: Fit): number => score + explained * EXPLAINED_WEIGHT;

const repeated = (input: Readonly<Record<string, JsonValue>>): string[] =>
  Object.keys(input).filter((name) =>
    Object.keys(input).some((other) => other !== name && input[other] === input[name]),
  );

/** Texts that only contain words of the request itself: the "it" of "write it to a file". */
const hollow = (input: Readonly<Record<string, JsonValue>>, tool: ChoosableTool): string[] => {
  const own = ownTerms(tool);
  return Object.keys(input).filter((name) => {
    const value = input[name];
    if (typeof value !== "string" || /[/.:]/.test(value)) return false;
    return /^(?:it|this|that|them)\b/i.test(value) || contentTerms(value).every((term) => own.has(term));
  });
};

function explainedShare(
  step: string,
  tool: ChoosableTool,
  input: Readonly<Record<string, JsonValue>>,
  unplaced: readonly string[],
): number {
  if (!isWhole(step, tool, unplaced)) return 0;
  const said = contentTerms(step.replace(FILLERS, " "));
  if (said.length === 0) return 1;
  const own = ownTerms(tool);
  if (step.length <= SHORT_CHARS && own.has("time") && WHAT_TIME_ABROAD.test(step)) return 1; // the rest is a place
  const sayings = SAYINGS.filter(([, meant]) => contentTerms(meant).some((term) => own.has(term)));
  const known = new Set([
    ...own,
    ...sayings.flatMap(([pattern]) => contentTerms(pattern.exec(step)?.[0] ?? "")),
    ...contentTerms(identifierWords(JSON.stringify(input))),
    ...(Object.values(input).includes(timezoneOf(step) ?? "") ? contentTerms(placeWords(step)) : []),
  ]);
  if (!known.has(said[0] ?? "")) return 0; // what is asked for comes first: "zip a.txt" is not about reading it
  return said.filter((term) => known.has(term)).length / said.length;
}

/**
 * Whether words outside the free texts of the input name the tool. A text or a list can take any sentence whole, which
 * proves nothing about what the sentence asks for.
 */
function isNamed(step: string, { tool, input }: Fit): boolean {
  const texts = freeTexts(Object.values(input));
  if (texts.length === 0) return true;
  const around = texts.reduce((left, text) => without(left, text), step);
  const own = ownTerms(tool);
  const meant = SAYINGS.filter(([said]) => said.test(around)).map(([, words]) => words);
  return contentTerms([around, ...meant].join(" ")).some((term) => own.has(term));
}

/** Texts at any depth; an address, a path, a zone or a time is recognised by its form and is no free text. */
function freeTexts(values: readonly JsonValue[]): string[] {
  return values.flatMap((value) => {
    if (typeof value === "string") return /[/.:]/.test(value) && !/\s/.test(value) ? [] : [value];
    return typeof value === "object" && value !== null ? freeTexts(Object.values(value) as JsonValue[]) : [];
  });
}

function without(text: string, part: string): string {
  const at = text.toLowerCase().indexOf(part.toLowerCase());
  return at < 0 ? text : `${text.slice(0, at)} ${text.slice(at + part.length)}`;
}

/** The words a tool uses of itself: its name, its description, its parameters. */
function ownTerms({ name, description, inputSchema }: ChoosableTool): Set<string> {
  return new Set(contentTerms(identifierWords(`${name} ${description} ${parameterWords(inputSchema)}`)));
}

const parameterWords = ({ properties }: JsonSchema): string =>
  typeof properties === "object" && properties !== null ? Object.keys(properties).join(" ") : "";

const isRequired = ({ required }: JsonSchema, name: string): boolean =>
  Array.isArray(required) && required.includes(name);

/** "Run python: print(1 + 1)", or a fenced block, for a tool that takes a language and code. */
function codeChoice(step: string, tools: readonly ChoosableTool[]): Choice | undefined {
  const program = programIn(step);
  if (!program) return undefined;
  const tool = tools.find(({ inputSchema }) => languagesOf(inputSchema).includes(program.language));
  if (tool) return { call: { tool: tool.name, input: program } };
  const runner = tools.find(({ inputSchema }) => languagesOf(inputSchema).length > 0);
  const isUnnamed = program.language === "" && LOOKS_LIKE_CODE.test(program.code);
  return runner && isUnnamed ? { tool: runner.name, lacking: ["language"] } : undefined;
}

function programIn(step: string): { language: string; code: string } | undefined {
  const [, fencedIn, block] = FENCED.exec(step) ?? [];
  const [, before, said, after] = RUN_CODE.exec(step.trim()) ?? [];
  const [, first, rest] = LANGUAGE_FIRST.exec(step.trim()) ?? [];
  const code = block ?? rest ?? said;
  const named = (block === undefined ? (first ?? before ?? after) : fencedIn)?.toLowerCase() ?? "";
  return code === undefined
    ? undefined
    : { language: LANGUAGE_NAMES[named] ?? named, code: withoutTicks(code.trim()) };
}

/** "Run `print(1)`": the backticks are Markdown. */
const withoutTicks = (code: string): string => /^(`{1,3})([^`]+)\1$/.exec(code)?.[2]?.trim() ?? code;

/** The languages of a tool that takes code, none of any other. */
function languagesOf({ properties }: JsonSchema): readonly unknown[] {
  const { language, code } = (properties ?? {}) as Record<string, JsonSchema | undefined>;
  return code && Array.isArray(language?.enum) ? language.enum : [];
}
