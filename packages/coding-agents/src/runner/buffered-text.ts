/** For `stream: false`: text deltas are held until something else happens, and emitted as one. */
import type { CodingAgentEvent } from "@capstan/core/internal";

type Delta = Extract<CodingAgentEvent, { type: "text-delta" | "thinking-delta" }>;

export class BufferedText {
  #held: Delta | undefined;

  take(event: CodingAgentEvent): CodingAgentEvent[] {
    if (event.type !== "text-delta" && event.type !== "thinking-delta") return [...this.flush(), event];
    if (this.#held?.type === event.type) {
      this.#held = { ...this.#held, text: this.#held.text + event.text };
      return [];
    }
    const before = this.flush();
    this.#held = event;
    return before;
  }

  flush(): CodingAgentEvent[] {
    const held = this.#held;
    this.#held = undefined;
    return held ? [held] : [];
  }
}
