/**
 * Converts a program's output to stored messages: a turn is its text and calls until the first
 * result comes back. A turn is stored with its first result, and the next turn's results wait until all of its own are
 * there, so that every stored call is directly followed by its result.
 */
import type { JsonValue, RunEvent } from "@capstan/core";
import { type ConversationMessage, type ToolCallPart, toolCallsOf } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { MessageBuilder } from "../model/message-builder.ts";

export interface Turn {
  readonly id: string;
  readonly builder: MessageBuilder;
  /** The calls of this turn that have no result yet. */
  readonly open: Set<string>;
  /** Settles when all results of the previous turn are stored. */
  readonly ready: Promise<void>;
  readonly complete: PromiseWithResolvers<void>;
  /** Its message is stored, or about to be: later output belongs to the next turn. */
  isStored: boolean;
}

export class HarnessTurns {
  readonly #emit: (event: RunEvent) => void;
  readonly #usedCallIds: Set<string>;
  #current: Turn | undefined;
  #nativeStart = false;

  constructor(messages: readonly ConversationMessage[], emit: (event: RunEvent) => void) {
    this.#usedCallIds = new Set(
      messages.flatMap((message) => toolCallsOf(message).map(({ toolCallId }) => toolCallId)),
    );
    this.#emit = (event) =>
      emit(
        event.type === "TOOL_CALL_START" && this.#nativeStart
          ? { ...event, metadata: { native: true } }
          : event,
      );
  }

  /** Text and calls since the last stored turn, if any. */
  get unstored(): Turn | undefined {
    return this.#current && !this.#current.isStored ? this.#current : undefined;
  }

  say(type: "text-delta" | "reasoning-delta", delta: string): void {
    this.#turn().builder.take({ type, id: type, delta });
  }

  /** Shows a call; its id is made unique in the session. */
  call(
    id: string,
    toolName: string,
    input: JsonValue,
    isNative: boolean,
  ): { part: ToolCallPart; turn: Turn } {
    const turn = this.#turn();
    this.#nativeStart = isNative;
    turn.builder.take({ type: "tool-call", toolCallId: id, toolName, input: JSON.stringify(input) });
    this.#nativeStart = false;
    const part = turn.builder.calls.at(-1);
    if (!part) throw new Error("a call that was just added is missing");
    this.#usedCallIds.add(part.toolCallId);
    turn.open.add(part.toolCallId);
    return { part, turn };
  }

  /** Ends unfinished text: something else is shown now. */
  close(): void {
    this.#current?.builder.close();
  }

  /** The turn's message; nothing can be added after this. */
  message(turn: Turn): ConversationMessage {
    turn.builder.close();
    turn.isStored = true;
    if (turn.open.size === 0) turn.complete.resolve();
    return { id: turn.id, role: "assistant", content: turn.builder.parts };
  }

  markAnswered(turn: Turn, callId: string): void {
    turn.open.delete(callId);
    if (turn.open.size === 0 && turn.isStored) turn.complete.resolve();
  }

  #turn(): Turn {
    if (this.#current && !this.#current.isStored) return this.#current;
    const id = uuidv7();
    const turn: Turn = {
      id,
      builder: new MessageBuilder(id, new Set(this.#usedCallIds), this.#emit),
      open: new Set(),
      ready: this.#current?.complete.promise ?? Promise.resolve(),
      complete: Promise.withResolvers<void>(),
      isStored: false,
    };
    this.#current = turn;
    return turn;
  }
}
