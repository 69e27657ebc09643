/**
 * What a coding agent sent to the simulated model, in one form for the four protocols.
 *
 * `wire` keeps the parameters that tests and probes check: the thinking settings and the limits.
 */
import { z } from "zod";

export type SimProtocol = "messages" | "responses" | "chat" | "gemini";

export interface SimTool {
  readonly name: string;
  readonly properties: Readonly<Record<string, SimProperty>>;
  readonly required: readonly string[];
  /** Takes free text instead of an object (Codex' own `exec`). */
  readonly isCustom: boolean;
  /** Finds tools that are not offered yet, which the next request then has (Codex, for tools of MCP servers). */
  readonly isSearch?: boolean;
  readonly namespace?: string;
}

export interface SimProperty {
  readonly type?: unknown;
  readonly anyOf?: readonly SimProperty[];
  readonly enum?: readonly unknown[];
}

export interface SimRequest {
  readonly protocol: SimProtocol;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly isStream: boolean;
  readonly tools: readonly SimTool[];
  /** The marker of the last user message that has one, such as `tool` or `call web_fetch {"url":"x"}`. */
  readonly marker: string | null;
  /** A tool's result came after that message: the next answer is the last. */
  readonly isToolDone: boolean;
  /** Parameters as they were on the wire; absent ones are left out. */
  readonly wire: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>>;
}

const MARKER = /\[\[(call [\w-]+ \{.*?\}|run [^\]]+|[a-z0-9]+)\]\]/gs;
const WIRE_KEYS = [
  "thinking",
  "output_config",
  "reasoning",
  "reasoning_effort",
  "max_tokens",
  "max_output_tokens",
  "parallel_tool_calls",
];

const loose = z.record(z.string(), z.unknown()).catch({});
const list = z.array(z.unknown()).catch([]);

export function readSimRequest(
  protocol: SimProtocol,
  path: string,
  headers: Record<string, string>,
  body: Readonly<Record<string, unknown>>,
): SimRequest {
  const items = list.parse(
    body[protocol === "responses" ? "input" : protocol === "gemini" ? "contents" : "messages"],
  );
  const texts = items.map((item) => JSON.stringify(item));
  const scripted = texts.findLastIndex(
    (text, index) => isUser(items[index]) && !isResult(text) && hasMarker(text),
  );
  return {
    protocol,
    path,
    headers,
    model: String(body.model ?? /models\/([^:/]+):/.exec(path)?.[1] ?? ""),
    isStream: protocol === "gemini" ? path.includes(":streamGenerateContent") : body.stream === true,
    tools: toolsOf(body, items),
    marker: scripted === -1 ? null : lastMarker(items[scripted]),
    isToolDone: texts.slice(scripted + 1).some(isResult),
    wire: wireOf(body),
    body,
  };
}

const isUser = (item: unknown) => loose.parse(item).role === "user";
/** Tools found by a search are not a result: the actual call is still to come. */
const isResult = (text: string) =>
  /"type":"(tool_result|(?!tool_search_output)[a-z_]+_output)"|"role":"tool"|"functionResponse"/.test(text);
const hasMarker = (text: string) => text.search(MARKER) !== -1;

/** Read from the parsed strings, because a marker may hold JSON that is escaped in the body's text. */
function lastMarker(item: unknown): string | null {
  return [...stringsIn(item).join("\n").matchAll(MARKER)].at(-1)?.[1] ?? null;
}

function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsIn) : [];
}

function wireOf(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { thinkingConfig } = loose.parse(body.generationConfig);
  const flat = WIRE_KEYS.flatMap((key) => (body[key] === undefined ? [] : [[key, body[key]] as const]));
  return Object.fromEntries(
    thinkingConfig === undefined ? flat : [...flat, ["thinkingConfig", thinkingConfig]],
  );
}

/** Newer Codex models get their tools as an input item instead of the field `tools`, or as what a search of theirs found. */
function toolsOf(body: Readonly<Record<string, unknown>>, items: readonly unknown[]): SimTool[] {
  const more = items.map((item) => loose.parse(item)).filter(({ type }) => BROUGHT.includes(String(type)));
  return [...list.parse(body.tools), ...more.flatMap(({ tools }) => list.parse(tools))].flatMap((tool) =>
    readTool(tool),
  );
}

const BROUGHT = ["additional_tools", "tool_search_output"];

function readTool(value: unknown, namespace?: string): SimTool[] {
  const tool = loose.parse(value);
  if (tool.type === "namespace")
    return list.parse(tool.tools).flatMap((inner) => readTool(inner, String(tool.name)));
  if (tool.functionDeclarations)
    return list.parse(tool.functionDeclarations).flatMap((inner) => readTool(inner));
  if (tool.type === "tool_search")
    return [{ name: "tool_search", properties: {}, required: [], isCustom: false, isSearch: true }];
  const spec = tool.function ? loose.parse(tool.function) : tool;
  if (typeof spec.name !== "string") return [];
  const schema = loose.parse(spec.input_schema ?? spec.parametersJsonSchema ?? spec.parameters);
  return [
    {
      name: spec.name,
      properties: z.record(z.string(), loose).catch({}).parse(schema.properties),
      required: z.array(z.string()).catch([]).parse(schema.required),
      isCustom: tool.type === "custom",
      ...(namespace !== undefined && { namespace }),
    },
  ];
}
