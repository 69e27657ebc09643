/**
 * capstan/offline: the model that answers when no provider has a key. A demo, and it says so: it understands nothing,
 * but it really chooses a tool by the words of the message, fills its arguments, and words what came back.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
  LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { JsonSchema, JsonValue } from "@capstan/core";
import { type ChoosableTool, chooseTool, mapPayload, stepsOf } from "@capstan/core/internal";
import { timezoneOf } from "./city-zones.ts";
import { wordAnswer } from "./word-answer.ts";

const LEAST_SCORE = 1.6; // of 10: below, the words of tool and message meet by chance
const CONSIDERED = 5;
/** How people say what tools call otherwise; the words on the right are added to what chooses the tool. */
const SAYINGS: readonly (readonly [RegExp, string])[] = [
  [/\bplan\b|\bto-?dos?\b|\bchecklist\b|\bremind\b/i, "todos tasks"],
  [/\brain(?:s|ing|y)?\b|\bsunny\b|\bsnow(?:s|ing)?\b|\bhow (?:warm|cold|hot)\b/i, "weather"],
  [/\bsave\b|\bnote down\b/i, "write"],
  [/\bfolder\b/i, "directory list"],
];
const PLACED_BONUS = 1.2;
const LACKING_PRICE = 1.5;
const PIECE_CHARS = 12;
const MOST_STEPS = 6;

interface Call {
  readonly tool: string;
  readonly input: Record<string, JsonValue>;
}

type Said = { readonly text: string } | { readonly call: Call };

export function offlineModel(): LanguageModelV4 {
  return {
    specificationVersion: "v4",
    provider: "capstan",
    modelId: "offline",
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error("the offline model streams")),
    doStream: async (options) => ({ stream: streamOf(reply(options), options) }),
  };
}

/** What to say next: the next step's call, or, when all are done, their results in words. */
export function reply({
  prompt,
  tools = [],
  responseFormat,
}: Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "responseFormat">): Said {
  const { task, calls, results } = turnOf(prompt);
  if (responseFormat?.type === "json")
    return { text: JSON.stringify(exampleOf((responseFormat.schema ?? {}) as JsonSchema, task)) };
  const offered = tools.flatMap((tool): ChoosableTool[] =>
    tool.type === "function"
      ? [
          {
            name: tool.name,
            description: tool.description ?? "",
            inputSchema: tool.inputSchema as JsonSchema,
          },
        ]
      : [],
  );
  const steps = stepsOf(task).slice(0, MOST_STEPS);
  const next = steps[calls.length];
  const failed = results.some(({ isError }) => isError);
  if (next !== undefined && !failed) {
    const said = nextCall(next, offered, calls);
    if (said && (calls.length === 0 || "call" in said)) return said;
  }
  return { text: results.length > 0 ? results.map(wordAnswer).join("\n") : introduction(offered) };
}

interface Fitting {
  readonly tool: ChoosableTool;
  readonly input: Record<string, JsonValue>;
  readonly lacking: readonly string[];
  readonly score: number;
}

function nextCall(step: string, tools: readonly ChoosableTool[], before: readonly Call[]): Said | undefined {
  const earlier: Record<string, JsonValue> = Object.assign({}, ...before.map(({ input }) => input));
  const [best] = chooseTool(withSayings(step), tools)
    .slice(0, CONSIDERED)
    .flatMap(({ name, score }) =>
      fitting(
        step,
        tools.find((tool) => tool.name === name),
        score,
        earlier,
      ),
    )
    .sort((a, b) => b.score - a.score);
  if (!best || best.score < LEAST_SCORE) return undefined;
  const { tool, input, lacking } = best;
  if (lacking.length > 0)
    return { text: `To use ${tool.name} I need ${lacking.join(" and ")}. Please say it in your message.` };
  return { call: { tool: tool.name, input } };
}

const withSayings = (step: string): string =>
  [step, ...SAYINGS.filter(([said]) => said.test(step)).map(([, meant]) => meant)].join(" ");

/** Words choose a tool; values of the message that fit its parameters speak for it, and missing ones against it. */
function fitting(
  step: string,
  tool: ChoosableTool | undefined,
  score: number,
  earlier: Record<string, JsonValue>,
): Fitting[] {
  if (!tool) return [];
  const { payload, missing, placed } = mapPayload(step, tool.inputSchema, { timezoneOf });
  const remembered = missing.filter((name) => earlier[name] !== undefined);
  const input = {
    ...payload,
    ...Object.fromEntries(remembered.map((name) => [name, earlier[name] as JsonValue])),
  };
  const lacking = missing.filter((name) => input[name] === undefined);
  return [{ tool, input, lacking, score: score + placed * PLACED_BONUS - lacking.length * LACKING_PRICE }];
}

function introduction(tools: readonly ChoosableTool[]): string {
  const names = tools
    .slice(0, 8)
    .map(({ name }) => name)
    .join(", ");
  const can = names === "" ? "This agent has no tools." : `I can use ${names}.`;
  return `I am the offline demo model: I choose tools by the words of your message and cannot think. ${can} Set a provider's key for a real model.`;
}

interface ToolAnswer {
  readonly tool: string;
  readonly value: unknown;
  readonly isError: boolean;
}

/** The last thing the user said, and what was called and answered since. */
function turnOf(prompt: LanguageModelV4Prompt): { task: string; calls: Call[]; results: ToolAnswer[] } {
  const at = prompt.findLastIndex(({ role }) => role === "user");
  const user = prompt[at];
  const task =
    user?.role === "user"
      ? user.content
          .flatMap((part) => (part.type === "text" ? [part.text] : []))
          .slice(0, 1)
          .join(" ")
      : "";
  const since = prompt.slice(at + 1);
  const calls = since.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part): Call[] =>
          part.type === "tool-call"
            ? [{ tool: part.toolName, input: (part.input ?? {}) as Record<string, JsonValue> }]
            : [],
        )
      : [],
  );
  const results = since.flatMap((message) =>
    message.role === "tool"
      ? message.content.flatMap((part): ToolAnswer[] => (part.type === "tool-result" ? [answerOf(part)] : []))
      : [],
  );
  return { task, calls, results };
}

function answerOf({
  toolName,
  output,
}: {
  toolName: string;
  output: { type: string; value?: unknown };
}): ToolAnswer {
  return { tool: toolName, value: output.value, isError: output.type.startsWith("error") };
}

/** The smallest value a schema allows, with the message where text is asked for. */
function exampleOf(schema: JsonSchema, task: string): JsonValue {
  if (schema.const !== undefined) return schema.const as JsonValue;
  if (Array.isArray(schema.enum)) return (schema.enum[0] ?? null) as JsonValue;
  const type =
    typeof schema.type === "string" ? schema.type : schema.properties === undefined ? "string" : "object";
  return EXAMPLES[type]?.(schema, task) ?? null;
}

const EXAMPLES: Readonly<Record<string, (schema: JsonSchema, task: string) => JsonValue>> = {
  object: ({ properties = {} }, task) =>
    Object.fromEntries(
      Object.entries(properties as Record<string, JsonSchema>).map(([name, inner]) => [
        name,
        exampleOf(inner, task),
      ]),
    ),
  array: ({ minItems, items }, task) => (minItems ? [exampleOf((items ?? {}) as JsonSchema, task)] : []),
  number: ({ minimum }) => (typeof minimum === "number" ? minimum : 0),
  integer: ({ minimum }) => (typeof minimum === "number" ? minimum : 0),
  boolean: () => false,
  string: (_, task) => task.slice(0, 200),
};

function streamOf(
  said: Said,
  { abortSignal }: LanguageModelV4CallOptions,
): ReadableStream<LanguageModelV4StreamPart> {
  const parts = partsOf(said)[Symbol.iterator]();
  return new ReadableStream({
    async pull(controller) {
      abortSignal?.throwIfAborted();
      const { done, value } = parts.next();
      if (done) return controller.close();
      controller.enqueue(value);
      await new Promise(setImmediate); // pieces arrive one by one, as from a network
    },
  });
}

function* partsOf(said: Said): Generator<LanguageModelV4StreamPart> {
  yield { type: "stream-start", warnings: [] };
  const spoken = "text" in said ? said.text : JSON.stringify(said.call.input);
  if ("text" in said) {
    yield { type: "text-start", id: "0" };
    for (let at = 0; at < spoken.length; at += PIECE_CHARS)
      yield { type: "text-delta", id: "0", delta: spoken.slice(at, at + PIECE_CHARS) };
    yield { type: "text-end", id: "0" };
  } else {
    const id = `call_${crypto.randomUUID().replaceAll("-", "").slice(0, 24)}`;
    yield { type: "tool-input-start", id, toolName: said.call.tool };
    for (let at = 0; at < spoken.length; at += PIECE_CHARS)
      yield { type: "tool-input-delta", id, delta: spoken.slice(at, at + PIECE_CHARS) };
    yield { type: "tool-input-end", id };
    yield { type: "tool-call", toolCallId: id, toolName: said.call.tool, input: spoken };
  }
  yield {
    type: "finish",
    finishReason: { unified: "text" in said ? "stop" : "tool-calls", raw: undefined },
    usage: {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: Math.ceil(spoken.length / 4), text: undefined, reasoning: undefined },
    },
  };
}
