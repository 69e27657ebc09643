/**
 * Tool calls of an ACP session. A call is announced once its input is known: agents send an empty one first, then fill it.
 */
import type { AdapterEvent } from "@capstan/core/internal";
import { asObject, asText, contentText, type JsonObject } from "../lines/json-line.ts";

/** Where an agent puts the name of a tool. */
export interface ToolNaming {
  readonly titleIsName?: boolean;
  readonly toolOfId?: (id: string) => string | undefined;
}

interface Call {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
  readonly announced: boolean;
}

export class AcpTools {
  readonly #calls = new Map<string, Call>();
  readonly #naming: ToolNaming;

  constructor(naming: ToolNaming = {}) {
    this.#naming = naming;
  }

  /** A `tool_call` or `tool_call_update`. */
  update(update: JsonObject): AdapterEvent[] {
    const id = asText(update.toolCallId);
    if (id === undefined) return [];
    const isFirst = !this.#calls.has(id);
    const call = this.#merge(id, update);
    const status = asText(update.status);
    const ended = status === "completed" || status === "failed";
    const isOpening = isFirst && status === "pending"; // its input is still being written
    const events = isOpening ? [] : this.#announce(id, call);
    if (!ended) return events;
    const isError = status === "failed" || exitedBadly(update);
    return [...events, { type: "tool-ended", id, tool: call.tool, output: call.output, isError }];
  }

  /** A call that waits for permission, with what to show. */
  announce(toolCall: JsonObject): {
    events: AdapterEvent[];
    call: { toolId: string | undefined; tool: string; input: unknown };
  } {
    const id = asText(toolCall.toolCallId);
    if (id === undefined) {
      return {
        events: [],
        call: { toolId: undefined, tool: toolName(toolCall, this.#naming), input: inputOf(toolCall) ?? {} },
      };
    }
    const { content: _, ...question } = toolCall; // the question may show something other than the call
    const call = this.#merge(id, question);
    return { events: this.#announce(id, call), call: { toolId: id, tool: call.tool, input: call.input } };
  }

  /** Permission was refused: the call is over. Some agents never mention it again. */
  deny(id: string): AdapterEvent[] {
    return [{ type: "tool-ended", id, tool: this.#calls.get(id)?.tool, isError: true, denied: true }];
  }

  /** Announces what was held back. */
  flush(): AdapterEvent[] {
    return [...this.#calls].flatMap(([id, call]) => this.#announce(id, call));
  }

  #announce(id: string, call: Call): AdapterEvent[] {
    if (call.announced) return [];
    this.#calls.set(id, { ...call, announced: true });
    return [{ type: "tool-started", id, tool: call.tool, input: call.input }];
  }

  #merge(id: string, update: JsonObject): Call {
    const known = this.#calls.get(id);
    const call: Call = {
      tool: known?.tool ?? this.#naming.toolOfId?.(id) ?? toolName(update, this.#naming),
      input: isEmpty(update.rawInput) ? (known?.input ?? inputOf(update)) : update.rawInput,
      output: outputOf(update, known?.output ?? ""),
      announced: known?.announced ?? false,
    };
    this.#calls.set(id, call);
    return call;
  }
}

const isEmpty = (input: unknown) =>
  input === undefined || input === null || Object.keys(asObject(input) ?? {}).length === 0;

/** Some agents describe a call only in its title. */
const inputOf = (update: JsonObject): unknown => {
  if (!isEmpty(update.rawInput)) return update.rawInput;
  const title = asText(update.title);
  return title === undefined ? {} : { title };
};

/** The tool's name if given, otherwise the kind of call. */
function toolName(update: JsonObject, { titleIsName }: ToolNaming): string {
  const named = asText(update.name) ?? asText(asObject(asObject(update._meta)?.claudeCode)?.toolName);
  if (named !== undefined) return named;
  const title = asText(update.title);
  // A generic kind with a name as title: a tool of an MCP server.
  const isName = titleIsName === true || (update.kind === "other" && /^[\w.:/-]+$/.test(title ?? ""));
  return (isName ? title : undefined) ?? asText(update.kind) ?? "tool";
}

/** Output as content, as raw output, or (Codex, Pi) as terminal data next to the update. */
function outputOf(update: JsonObject, before: string): string {
  const meta = asObject(update._meta);
  const delta = asText(asObject(meta?.terminal_output_delta)?.data);
  if (delta !== undefined) return before + delta;
  const whole = asText(asObject(meta?.terminal_output)?.data);
  if (whole !== undefined) return whole;
  const raw = asText(update.rawOutput) ?? asText(asObject(update.rawOutput)?.output);
  if (raw !== undefined) return raw;
  if (!Array.isArray(update.content)) return before;
  return contentText(update.content.map((part) => asObject(part)?.content)); // an update replaces the content before it
}

function exitedBadly(update: JsonObject): boolean {
  const code = asObject(asObject(update._meta)?.terminal_exit)?.exit_code;
  return typeof code === "number" && code !== 0;
}
