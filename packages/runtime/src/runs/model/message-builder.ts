/**
 * Builds a message from a model's stream: the parts to store, and the AG-UI events to send.
 * Text is sent as it arrives; opaque values for the provider (signatures) are stored with it.
 */

import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { JsonValue, RunEvent } from "@capstan/core";
import {
  type AssistantPart,
  encryptedOf,
  reasoningPieceId,
  type ToolCallPart,
  textPieceId,
} from "@capstan/core/internal";

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
type Part<Type extends AssistantPart["type"]> = Mutable<Extract<AssistantPart, { type: Type }>>;
type StreamPart<Type extends LanguageModelV4StreamPart["type"]> = Extract<
  LanguageModelV4StreamPart,
  { type: Type }
>;
type Handlers = {
  readonly [Type in LanguageModelV4StreamPart["type"]]?: (part: StreamPart<Type>) => void;
};

const HIGH_SURROGATE_AT_END = /[\ud800-\udbff]$/;

export class MessageBuilder {
  readonly parts: AssistantPart[] = [];
  readonly #id: string;
  readonly #emit: (event: RunEvent) => void;
  readonly #usedCallIds: ReadonlySet<string>;
  readonly #callIds = new Map<string, string>();
  readonly #startedCalls = new Set<string>();
  readonly #shownCalls = new Set<string>();
  #current: { part: Part<"text"> | Part<"reasoning">; id: string; key: string; started: boolean } | undefined;
  #texts = 0;
  #reasonings = 0;
  #held = "";

  constructor(id: string, usedCallIds: ReadonlySet<string>, emit: (event: RunEvent) => void) {
    this.#id = id;
    this.#usedCallIds = usedCallIds;
    this.#emit = emit;
  }

  /** Handles one part of the stream; kinds that neither a person nor the next prompt needs are ignored. */
  take(part: LanguageModelV4StreamPart): void {
    (this.#handlers[part.type] as ((part: LanguageModelV4StreamPart) => void) | undefined)?.(part);
  }

  get calls(): ToolCallPart[] {
    return this.parts.filter((part) => part.type === "tool-call");
  }

  /** Ends every started block, at the end of the stream or where it broke. */
  close(): void {
    this.#closeCurrent();
    for (const toolCallId of this.#startedCalls) this.#emit({ type: "TOOL_CALL_END", toolCallId });
    this.#startedCalls.clear();
  }

  readonly #handlers: Handlers = {
    "text-delta": ({ id, delta, providerMetadata }) => {
      this.#open("text", id);
      this.#note(providerMetadata);
      this.#say(delta);
    },
    "text-end": ({ providerMetadata }) => {
      if (this.#current?.part.type === "text") this.#note(providerMetadata);
    },
    "reasoning-start": ({ id, providerMetadata }) => {
      this.#open("reasoning", id);
      this.#note(providerMetadata);
    },
    "reasoning-delta": ({ id, delta, providerMetadata }) => {
      this.#open("reasoning", id);
      this.#note(providerMetadata);
      this.#say(delta);
    },
    "reasoning-end": ({ id, providerMetadata }) => {
      if (this.#current?.key !== `reasoning ${id}`) return;
      this.#note(providerMetadata);
      this.#closeCurrent();
    },
    "tool-input-start": ({ id, toolName }) => this.#startCall(id, toolName),
    "tool-input-delta": ({ id, delta }) => {
      if (delta !== "") this.#emit({ type: "TOOL_CALL_ARGS", toolCallId: this.#callId(id), delta });
    },
    "tool-input-end": ({ id }) => this.#endCall(this.#callId(id)),
    "tool-call": (part) => this.#addCall(part),
  };

  #open(type: "text" | "reasoning", streamId: string): void {
    const key = type === "text" ? "text" : `reasoning ${streamId}`;
    if (this.#current?.key === key) return;
    this.#closeCurrent();
    const part = { type, text: "" } as Part<"text"> | Part<"reasoning">;
    const id =
      type === "text" ? textPieceId(this.#id, this.#texts++) : reasoningPieceId(this.#id, this.#reasonings++);
    this.parts.push(part);
    this.#current = { part, id, key, started: false };
  }

  /** A provider may split an emoji; the first half is buffered until the second arrives. */
  #say(delta: string): void {
    if (!this.#current) return;
    const whole = this.#held + delta;
    const cut = HIGH_SURROGATE_AT_END.test(whole) ? whole.length - 1 : whole.length;
    this.#held = whole.slice(cut);
    this.#show(whole.slice(0, cut));
  }

  #show(delta: string): void {
    const current = this.#current;
    if (!current || delta === "") return;
    const { id: messageId, part } = current;
    part.text += delta;
    if (part.type === "text") {
      if (!current.started) this.#emit({ type: "TEXT_MESSAGE_START", messageId, role: "assistant" });
      this.#emit({ type: "TEXT_MESSAGE_CONTENT", messageId, delta });
    } else {
      if (!current.started) this.#startReasoning(messageId);
      this.#emit({ type: "REASONING_MESSAGE_CONTENT", messageId, delta });
    }
    current.started = true;
  }

  #startReasoning(messageId: string): void {
    this.#emit({ type: "REASONING_START", messageId });
    this.#emit({ type: "REASONING_MESSAGE_START", messageId, role: "reasoning" });
  }

  #note(metadata: SharedV4ProviderMetadata | undefined): void {
    if (!metadata || !this.#current) return;
    const { part } = this.#current;
    part.providerOptions = merged(part.providerOptions, metadata);
  }

  #closeCurrent(): void {
    if (this.#held !== "") this.#show(this.#held);
    this.#held = "";
    const current = this.#current;
    this.#current = undefined;
    if (!current) return;
    const { id: messageId, part, started } = current;
    if (!started && (part.type === "text" || encryptedOf(part) === undefined)) this.#drop(part);
    else if (part.type === "text") this.#emit({ type: "TEXT_MESSAGE_END", messageId });
    else this.#endReasoning(messageId, part, started);
  }

  #endReasoning(messageId: string, part: Part<"reasoning">, started: boolean): void {
    if (!started) this.#startReasoning(messageId);
    this.#emit({ type: "REASONING_MESSAGE_END", messageId });
    const encryptedValue = encryptedOf(part);
    if (encryptedValue !== undefined) {
      this.#emit({
        type: "REASONING_ENCRYPTED_VALUE",
        subtype: "message",
        entityId: messageId,
        encryptedValue,
      });
    }
    this.#emit({ type: "REASONING_END", messageId });
  }

  /** An empty block leaves no part, and its id is reused. */
  #drop(part: AssistantPart): void {
    this.parts.splice(this.parts.indexOf(part), 1);
    if (part.type === "text") this.#texts--;
    else this.#reasonings--;
  }

  #startCall(providerId: string, toolName: string): void {
    this.#closeCurrent();
    const toolCallId = this.#callId(providerId);
    this.#texts = Math.max(this.#texts, 1);
    this.#shownCalls.add(toolCallId);
    this.#startedCalls.add(toolCallId);
    this.#emit({
      type: "TOOL_CALL_START",
      toolCallId,
      toolCallName: toolName,
      parentMessageId: this.#id,
    });
  }

  #endCall(toolCallId: string): void {
    if (this.#startedCalls.delete(toolCallId)) this.#emit({ type: "TOOL_CALL_END", toolCallId });
  }

  #addCall({ toolCallId: providerId, toolName, input, providerMetadata }: StreamPart<"tool-call">): void {
    const toolCallId = this.#callId(providerId);
    if (!this.#shownCalls.has(toolCallId)) {
      this.#startCall(providerId, toolName);
      this.#emit({ type: "TOOL_CALL_ARGS", toolCallId, delta: input === "" ? "{}" : input });
    }
    this.#endCall(toolCallId);
    const part: Part<"tool-call"> = { type: "tool-call", toolCallId, toolName, input: parsedInput(input) };
    if (providerMetadata) {
      part.providerOptions = merged(undefined, providerMetadata);
      const encryptedValue = encryptedOf(part) ?? "";
      this.#emit({
        type: "REASONING_ENCRYPTED_VALUE",
        subtype: "tool-call",
        entityId: toolCallId,
        encryptedValue,
      });
    }
    this.parts.push(part);
  }

  /** Some providers number calls from 0 in each answer; an id must be unique in its session. */
  #callId(providerId: string): string {
    const known = this.#callIds.get(providerId);
    if (known !== undefined) return known;
    const id = this.#usedCallIds.has(providerId) ? `${providerId}.${this.#id}` : providerId;
    this.#callIds.set(providerId, id);
    return id;
  }
}

/** Arguments that are not JSON stay visible to the model; the gate refuses them by the tool's schema. */
function parsedInput(text: string): JsonValue {
  try {
    const input = JSON.parse(text === "" ? "{}" : text);
    return typeof input === "object" && input !== null ? input : { unparsed: text };
  } catch {
    return { unparsed: text };
  }
}

function merged(
  before: AssistantPart["providerOptions"],
  metadata: SharedV4ProviderMetadata,
): NonNullable<AssistantPart["providerOptions"]> {
  const all = { ...before } as Record<string, Record<string, JsonValue>>;
  for (const [provider, values] of Object.entries(metadata)) {
    all[provider] = { ...all[provider], ...(values as Record<string, JsonValue>) };
  }
  return all;
}
