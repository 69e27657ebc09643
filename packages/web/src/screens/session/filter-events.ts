/** Events by kind and by what they contain. */
import type { SessionEvent } from "@capstan/client";

export const EVENT_GROUPS = ["Runs", "Text", "Reasoning", "Tools", "State", "Other"] as const;
export type EventGroup = (typeof EVENT_GROUPS)[number];

export interface EventFilter {
  readonly group: string;
  readonly text: string;
}

const BY_START: [start: string, group: EventGroup][] = [
  ["RUN_", "Runs"],
  ["STEP_", "Runs"],
  ["SUBAGENT_", "Runs"],
  ["TEXT_", "Text"],
  ["REASONING_", "Reasoning"],
  ["TOOL_", "Tools"],
  ["STATE_", "State"],
  ["MESSAGES_", "State"],
];

export const groupOf = (type: string): EventGroup =>
  BY_START.find(([start]) => type.startsWith(start))?.[1] ?? "Other";

export function filterEvents(events: readonly SessionEvent[], { group, text }: EventFilter): SessionEvent[] {
  const wanted = text.trim().toLowerCase();
  return events.filter(
    ({ event }) =>
      (group === "" || groupOf(event.type) === group) &&
      (wanted === "" || JSON.stringify(event).toLowerCase().includes(wanted)),
  );
}
