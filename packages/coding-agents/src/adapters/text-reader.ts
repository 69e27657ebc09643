/**
 * Reads a CLI that prints only its answer, such as `hermes -z`: every line is text.
 *
 * There is no reliable terminal event, so such a run is never `done`; use the agent's ACP if it has one.
 */
import type { LineReader } from "@capstan/core/internal";

export function textReader(): LineReader {
  return { onLine: (line) => ({ events: [{ type: "text-delta", text: `${line}\n` }] }) };
}
