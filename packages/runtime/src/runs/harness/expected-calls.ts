/**
 * A program reports each call of the agent's tools twice: in its output, and by making it over MCP, where the call has
 * no id known to the output. The two arrive over different pipes; a call waits briefly for its announcement, so that
 * earlier text of the program is shown first.
 */
import type { JsonValue } from "@capstan/core";
import { uuidv7 } from "uuidv7";
import { sameInput } from "./same-input.ts";

const ANNOUNCED_WITHIN_MS = 1000; // an idle pipe needs a few; a program that announces late costs a second per call

export interface ExpectedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: JsonValue;
}

interface Waiting {
  readonly tool: string;
  readonly input: JsonValue;
  readonly found: (call: ExpectedCall) => void;
}

export class ExpectedCalls {
  readonly #withinMs: number;
  readonly #expected: ExpectedCall[] = [];
  readonly #waiting: Waiting[] = [];
  /** Calls that arrived without an announcement; a late one is ignored. */
  readonly #early: ExpectedCall[] = [];

  constructor(withinMs: number = ANNOUNCED_WITHIN_MS) {
    this.#withinMs = withinMs;
  }

  /** The program's output announces a call. */
  add(call: ExpectedCall): void {
    const early = this.#early.findIndex(
      ({ tool, input }) => tool === call.tool && sameInput(input, call.input),
    );
    if (early >= 0) {
      this.#early.splice(early, 1);
      return;
    }
    const waiting = best(this.#waiting, call.tool, call.input);
    if (!waiting) return void this.#expected.push(call);
    this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
    waiting.found(call);
  }

  /** A call arrives: with its announcement, or by itself if none comes in time. */
  async match(tool: string, input: JsonValue, id?: string): Promise<ExpectedCall> {
    const named = id === undefined ? undefined : this.#expected.find((call) => call.id === id);
    const expected = named ?? best(this.#expected, tool, input);
    if (expected) {
      this.#expected.splice(this.#expected.indexOf(expected), 1);
      return expected;
    }
    return this.#waitForAnnouncement(tool, input, id);
  }

  /** It ended without having arrived; undefined when it did arrive, or was never announced. */
  drop(id: string): ExpectedCall | undefined {
    const at = this.#expected.findIndex((call) => call.id === id);
    return at < 0 ? undefined : this.#expected.splice(at, 1)[0];
  }

  #waitForAnnouncement(tool: string, input: JsonValue, id?: string): Promise<ExpectedCall> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        tool,
        input,
        found: (call) => {
          clearTimeout(timer);
          resolve(call);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        const call = { id: id ?? uuidv7(), tool, input };
        this.#early.push(call);
        resolve(call);
      }, this.#withinMs);
      this.#waiting.push(waiting);
    });
  }
}

/** The same arguments first; some programs announce a call before its arguments are known. */
function best<T extends { tool: string; input: JsonValue }>(
  calls: readonly T[],
  tool: string,
  input: JsonValue,
): T | undefined {
  const named = calls.filter((call) => call.tool === tool);
  return named.find((call) => sameInput(call.input, input)) ?? named[0];
}
