/**
 * A run's events as the AI SDK's UI message stream. Tools run by the agent are marked as run by the provider, so that
 * a page waits for their results; the page's own tools are not. A step that starts over withdraws its parts.
 */
import type { RunEvent } from "@capstan/core";

/** One chunk of the protocol, as in `UIMessageChunk` of `ai`. */
export type UiChunk = { readonly type: string } & Readonly<Record<string, unknown>>;

export interface UiPlace {
  /** The assistant message being written. */
  readonly messageId: string;
  /** Names of tools that the page runs itself. */
  readonly clientTools: ReadonlySet<string>;
}

type Row<Type extends RunEvent["type"]> = (event: Extract<RunEvent, { type: Type }>) => UiChunk[];

export class UiStream {
  readonly #place: UiPlace;
  readonly #calls = new Map<string, { readonly name: string; text: string }>();
  /** Ids of texts and calls that the current step has shown. */
  #shown = new Set<string>();
  #stepOpen = false;

  constructor(place: UiPlace) {
    this.#place = place;
  }

  take(event: RunEvent): UiChunk[] {
    if ("subagentRunId" in event && event.subagentRunId !== undefined) return [];
    const row = this.#rows[event.type] as Row<RunEvent["type"]> | undefined;
    return row ? row(event) : [];
  }

  readonly #rows: { readonly [Type in RunEvent["type"]]?: Row<Type> } = {
    RUN_STARTED: () => [{ type: "start", messageId: this.#place.messageId }],
    STEP_STARTED: () => [...this.#endStep(), ...this.#startStep()],
    TEXT_MESSAGE_START: ({ messageId: id }) => {
      this.#shown.add(id);
      return [{ type: "text-start", id }];
    },
    TEXT_MESSAGE_CONTENT: ({ messageId: id, delta }) => [{ type: "text-delta", id, delta }],
    TEXT_MESSAGE_END: ({ messageId: id }) => [{ type: "text-end", id }],
    REASONING_MESSAGE_START: ({ messageId: id }) => [{ type: "reasoning-start", id }],
    REASONING_MESSAGE_CONTENT: ({ messageId: id, delta }) => [{ type: "reasoning-delta", id, delta }],
    REASONING_MESSAGE_END: ({ messageId: id }) => [{ type: "reasoning-end", id }],
    TOOL_CALL_START: ({ toolCallId, toolCallName }) => {
      this.#shown.add(toolCallId);
      this.#calls.set(toolCallId, { name: toolCallName, text: "" });
      return [{ type: "tool-input-start", toolCallId, toolName: toolCallName, ...this.#owner(toolCallName) }];
    },
    TOOL_CALL_ARGS: ({ toolCallId, delta }) => {
      const call = this.#calls.get(toolCallId);
      if (call) call.text += delta;
      return [{ type: "tool-input-delta", toolCallId, inputTextDelta: delta }];
    },
    TOOL_CALL_END: ({ toolCallId }) => {
      const call = this.#calls.get(toolCallId);
      return call ? [this.#input(toolCallId, call.name, parsed(call.text === "" ? "{}" : call.text))] : [];
    },
    TOOL_CALL_RESULT: (event) => this.#result(event),
    MESSAGES_SNAPSHOT: ({ messages }) => this.#keepOnly(new Set(messages.flatMap(idsOf))),
    CUSTOM: ({ name, value }) =>
      name === "capstan.warning" || name === "capstan.retrying"
        ? [{ type: `data-${name.slice("capstan.".length)}`, data: value, transient: true }]
        : [],
    RUN_ERROR: ({ message }) => [...this.#endStep(), { type: "error", errorText: message }],
    RUN_FINISHED: (event) => [...this.#endStep(), ...this.#finish(event)],
  };

  /** The provider's stream broke: parts of the step that no longer count are withdrawn. */
  #keepOnly(standing: ReadonlySet<string>): UiChunk[] {
    if (!this.#stepOpen || [...this.#shown].every((id) => standing.has(id))) return [];
    this.#shown.clear();
    return [{ type: "reset-step" }];
  }

  #startStep(): UiChunk[] {
    this.#stepOpen = true;
    this.#shown.clear();
    return [{ type: "start-step" }];
  }

  #endStep(): UiChunk[] {
    if (!this.#stepOpen) return [];
    this.#stepOpen = false;
    return [{ type: "finish-step" }];
  }

  #owner(toolName: string) {
    return this.#place.clientTools.has(toolName) ? {} : { providerExecuted: true, dynamic: true };
  }

  #input(toolCallId: string, toolName: string, input: unknown): UiChunk {
    return { type: "tool-input-available", toolCallId, toolName, input, ...this.#owner(toolName) };
  }

  /** A call of an earlier answer, such as an approved one, is already known to the page. */
  #result({ toolCallId, content, metadata }: Extract<RunEvent, { type: "TOOL_CALL_RESULT" }>): UiChunk[] {
    const call = this.#calls.get(toolCallId);
    const edited = metadata?.editedArguments;
    const shown = edited !== undefined && call ? [this.#input(toolCallId, call.name, edited)] : [];
    const owner =
      call && this.#place.clientTools.has(call.name) ? {} : { providerExecuted: true, dynamic: true };
    const output = typeof content === "string" ? parsed(content) : content;
    const failure = failureText(output);
    return [
      ...shown,
      failure === undefined
        ? { type: "tool-output-available", toolCallId, output, ...owner }
        : { type: "tool-output-error", toolCallId, errorText: failure, ...owner },
    ];
  }

  #finish({ outcome, usage }: Extract<RunEvent, { type: "RUN_FINISHED" }>): UiChunk[] {
    if (outcome?.type === "cancelled") return [{ type: "abort", reason: "The run was cancelled." }];
    const metadata = usage && usage.length > 0 ? { messageMetadata: { usage } } : {};
    if (outcome?.type === "interrupt") {
      const asked = outcome.interrupts.map(
        ({ id, toolCallId, message }): UiChunk =>
          toolCallId === undefined
            ? { type: "data-interrupt", data: { id, message } }
            : {
                type: "tool-approval-request",
                approvalId: id,
                toolCallId,
                ...(message && { reason: message }),
              },
      );
      return [...asked, { type: "finish", finishReason: "tool-calls", ...metadata }];
    }
    const waits = (outcome?.pendingToolCallIds ?? []).length > 0;
    return [{ type: "finish", finishReason: waits ? "tool-calls" : "stop", ...metadata }];
  }
}

type SnapshotMessage = Extract<RunEvent, { type: "MESSAGES_SNAPSHOT" }>["messages"][number];

const idsOf = (message: SnapshotMessage): string[] => [
  message.id,
  ...("toolCalls" in message ? (message.toolCalls ?? []).map(({ id }) => id) : []),
];

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Failures reach the conversation as `{ code, message, nextStep }`. */
function failureText(output: unknown): string | undefined {
  const { code, message, nextStep } = (output ?? {}) as Record<string, unknown>;
  if (typeof code !== "string" || typeof message !== "string" || typeof nextStep !== "string")
    return undefined;
  return `${message} ${nextStep}`.trim();
}
