/**
 * An end for a program that tries again for ever: after its own tries, Codex waits for a network, up to a minute each time;
 * OpenCode asks again after every empty answer. The other programs give up by themselves.
 */
import type { AdapterEvent, LineReader } from "@capstan/core/internal";

/** In a row, without a word of the model: Codex' fifth comes after a minute and a half. */
export const MAX_ENDLESS_RETRIES = 5;

/** Signs of a model that answers. */
const ANSWERS: ReadonlySet<AdapterEvent["type"]> = new Set(["text-delta", "thinking-delta", "tool-started"]);

/** The reader, which fails the run by the reason of the last of too many retries. One that the program counts is left to it. */
export function withEndOfRetries<Reader extends LineReader>(reader: Reader): Reader {
  let tried = 0;
  const counted = (event: AdapterEvent): readonly AdapterEvent[] => {
    if (ANSWERS.has(event.type)) tried = 0;
    if (event.type !== "retry" || event.attempt !== undefined) return [event];
    tried += 1;
    if (tried < MAX_ENDLESS_RETRIES) return [event];
    const { message, status } = event;
    return [event, { type: "run-ended", outcome: "failed", message: gaveUp(message), status }];
  };
  const onLine = (line: string) => {
    const step = reader.onLine(line);
    return { ...step, events: step.events.flatMap(counted) };
  };
  return { ...reader, onLine };
}

const gaveUp = (message: string) =>
  `The provider failed ${MAX_ENDLESS_RETRIES} times in a row. Last: ${message}`;
