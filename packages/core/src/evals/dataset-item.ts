/**
 * One case of a dataset: the request, the expected result, and the tools' answers. It is a copy independent of any
 * session, made from a recorded run or a line of a file. Fields have the API's names, as they are stored and
 * exported.
 */
import type { AssistantPart, ConversationMessage, ToolOutput, ToolResultPart } from "../messages.ts";
import type { RecordedCall } from "../replay/recording.ts";
import type { GateAnswer } from "../replay/replay-call.ts";
import type { JsonValue } from "../schema.ts";
import type { ScorerSpec } from "./scorer-spec.ts";

/** The result of a tool. Without `input`, it answers every call of the tool. */
export interface ItemStub {
  readonly tool: string;
  readonly input?: JsonValue | undefined;
  readonly output?: JsonValue | undefined;
  /** The tool failed, or the call was refused. */
  readonly error?:
    | { readonly code: string; readonly message: string; readonly nextStep?: string | undefined }
    | undefined;
  /** Which answer of the model made the call, from 0. Absent: one call per answer. */
  readonly turn?: number | undefined;
  readonly gate?: GateAnswer | undefined;
  /** The arguments it ran with, where the person who approved it changed them. */
  readonly edited?: JsonValue | undefined;
}

/** What was said before. `calls` are the model's, with their results. */
export interface ItemTurn {
  readonly role: "user" | "assistant";
  readonly text: string;
  readonly calls?: readonly ItemStub[] | undefined;
}

/** How the recorded run ended. */
export interface ItemRecord {
  readonly answer: string;
  /** `done`, or the code of the failure. */
  readonly outcome: string;
  readonly tokens?: number | undefined;
  readonly cost_usd?: number | undefined;
  readonly model_ms?: number | undefined;
}

export interface DatasetItem {
  readonly id: string;
  readonly input: string;
  readonly history?: readonly ItemTurn[] | undefined;
  readonly expected?: JsonValue | undefined;
  readonly stubs?: readonly ItemStub[] | undefined;
  readonly recorded?: ItemRecord | undefined;
  /** In addition to those of the experiment. */
  readonly scorers?: readonly ScorerSpec[] | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly note?: string | undefined;
}

/** A run as read from its journal. */
export interface RunToKeep {
  /** Up to and with the message that started the run. */
  readonly before: readonly ConversationMessage[];
  readonly calls: readonly RecordedCall[];
  readonly answer: string;
  readonly outcome: string;
  readonly tokens: number;
  readonly costUsd: number;
  readonly modelMs: number;
}

export function itemOfRun(id: string, run: RunToKeep): DatasetItem {
  const turns = turnsOf(run.before);
  const asked = turns.pop();
  const stubs = run.calls.map(
    (call): ItemStub => ({
      tool: call.tool,
      input: call.input,
      ...stubResult(call.output),
      turn: call.turn,
      ...(call.gate !== "allowed" && { gate: call.gate }),
      ...(call.edited !== undefined && { edited: call.edited }),
    }),
  );
  return {
    id,
    input: asked?.text ?? "",
    ...(turns.length > 0 && { history: turns }),
    ...(stubs.length > 0 && { stubs }),
    recorded: {
      answer: run.answer,
      outcome: run.outcome,
      tokens: run.tokens,
      cost_usd: run.costUsd,
      model_ms: run.modelMs,
    },
  };
}

function turnsOf(messages: readonly ConversationMessage[]): ItemTurn[] {
  const results = new Map<string, ToolResultPart>();
  for (const message of messages)
    if (message.role === "tool") for (const part of message.content) results.set(part.toolCallId, part);
  return messages.flatMap((message): ItemTurn[] => {
    if (message.role === "tool") return [];
    if (message.role === "user") return [{ role: "user", text: message.content.map(shown).join("\n") }];
    const calls = message.content.flatMap((part): ItemStub[] => {
      if (part.type !== "tool-call") return [];
      const { output, editedInput } = results.get(part.toolCallId) ?? {};
      return [{ tool: part.toolName, input: editedInput ?? part.input, ...stubResult(output) }];
    });
    const text = message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
    return text === "" && calls.length === 0
      ? []
      : [{ role: "assistant", text, ...(calls.length > 0 && { calls }) }];
  });
}

/** Attachments are named: their bytes are in the session, and not in the item. */
const shown = (part: Extract<ConversationMessage, { role: "user" }>["content"][number]): string =>
  part.type === "text" ? part.text : `[file ${part.filename ?? ""} ${part.mediaType}]`;

function stubResult(output: ToolOutput | undefined): Pick<ItemStub, "output" | "error"> {
  if (!output) return {};
  if (output.type !== "error-json") return { output: output.value };
  const { code = "failed", message = "", nextStep = "" } = (output.value ?? {}) as Record<string, string>;
  return { error: { code: String(code), message: String(message), nextStep: String(nextStep) } };
}

/** An item as a replay needs it: the conversation, the recorded calls, and the answers of the recorded model. */
export interface ItemRecording {
  readonly before: readonly ConversationMessage[];
  readonly messages: readonly ConversationMessage[];
  readonly calls: readonly RecordedCall[];
  /** Stubs that answer calls with any arguments. */
  readonly standIns: readonly { readonly tool: string; readonly output: JsonValue }[];
}

export function recordingOfItem(item: DatasetItem): ItemRecording {
  const stubs = item.stubs ?? [];
  const calls = stubs
    .filter(({ input }) => input !== undefined)
    .map((stub, at) => callOf(stub, `call_${at}`, stub.turn ?? at));
  const asked: ConversationMessage = {
    id: "input",
    role: "user",
    content: [{ type: "text", text: item.input }],
  };
  return {
    before: [...(item.history ?? []).flatMap(messagesOfTurn), asked],
    messages: recordedMessages(calls, item.recorded?.answer),
    calls,
    standIns: stubs.flatMap(({ tool, input, output }) =>
      input === undefined && output !== undefined ? [{ tool, output }] : [],
    ),
  };
}

const callOf = (stub: ItemStub, id: string, turn: number): RecordedCall => {
  const output = outputOf(stub);
  return {
    id,
    turn,
    tool: stub.tool,
    input: stub.input ?? {},
    gate: stub.gate ?? "allowed",
    ...(stub.gate === "denied" && stub.error && { why: stub.error.message }),
    ...(output && { output }),
    ...(stub.edited !== undefined && { edited: stub.edited }),
  };
};

function outputOf({ output, error }: ItemStub): ToolOutput | undefined {
  if (error) return { type: "error-json", value: { nextStep: "", ...error } as JsonValue };
  if (output === undefined) return undefined;
  return typeof output === "string" ? { type: "text", value: output } : { type: "json", value: output };
}

function messagesOfTurn({ role, text, calls = [] }: ItemTurn, at: number): ConversationMessage[] {
  if (role === "user") return [{ id: `turn_${at}`, role, content: [{ type: "text", text }] }];
  const made = calls.map((stub, index) => callOf(stub, `turn_${at}_${index}`, 0));
  return answerMessages(`turn_${at}`, made, text);
}

/** One model answer per turn, then its final answer. */
function recordedMessages(
  calls: readonly RecordedCall[],
  answer: string | undefined,
): readonly ConversationMessage[] {
  const turns = [...Map.groupBy(calls, ({ turn }) => turn)].toSorted(([a], [b]) => a - b);
  const made = turns.flatMap(([turn, each]) => answerMessages(`answer_${turn}`, each, ""));
  return answer === undefined ? made : [...made, ...answerMessages("answer", [], answer)];
}

function answerMessages(id: string, calls: readonly RecordedCall[], text: string): ConversationMessage[] {
  const said: AssistantPart[] = text === "" && calls.length > 0 ? [] : [{ type: "text", text }];
  const asked = calls.map(
    (call): AssistantPart => ({
      type: "tool-call",
      toolCallId: call.id,
      toolName: call.tool,
      input: call.input,
    }),
  );
  const results = calls.flatMap(({ id: toolCallId, tool, output }): ToolResultPart[] =>
    output ? [{ type: "tool-result", toolCallId, toolName: tool, output }] : [],
  );
  const answered: ConversationMessage = { id, role: "assistant", content: [...said, ...asked] };
  return results.length === 0
    ? [answered]
    : [answered, { id: `${id}_results`, role: "tool", content: results }];
}
