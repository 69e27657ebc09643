/** Checks whether a run's events are legal. For adapter tests, and for code that stores events it did not produce. */
import type { CodingAgentEvent } from "./events.ts";

/** Faults in the order of a finished run's events; empty when there are none. */
export function runFaults(events: readonly CodingAgentEvent[]): string[] {
  const faults = [...edgeFaults(events)];
  const open = new Set<string>();
  for (const event of events) {
    if (event.type === "tool-started") {
      if (open.has(event.id)) faults.push(`tool ${event.id} started twice`);
      open.add(event.id);
    }
    if (event.type === "tool-ended" && !open.delete(event.id)) {
      faults.push(`tool ${event.id} ended without having started`);
    }
  }
  return [...faults, ...[...open].map((id) => `tool ${id} never ended`)];
}

function* edgeFaults(events: readonly CodingAgentEvent[]): Iterable<string> {
  const count = (type: CodingAgentEvent["type"]) => events.filter((event) => event.type === type).length;
  if (count("run-started") !== 1) yield `${count("run-started")} run-started events`;
  if (count("run-ended") !== 1) yield `${count("run-ended")} run-ended events`;
  if (events[0]?.type !== "run-started") yield "the first event is not run-started";
  if (events.at(-1)?.type !== "run-ended") yield "the last event is not run-ended";
}
