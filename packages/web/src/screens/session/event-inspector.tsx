import type { SessionEvent } from "@capstan/client";
import type { RunEvent } from "@capstan/core";
import Radio from "lucide-react/icons/radio";
import { useMemo, useState } from "react";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Field, Select, TextField } from "../../kit/field.tsx";
import { Empty } from "../../kit/states.tsx";
import { VirtualRows } from "../../kit/virtual-rows.tsx";
import { clock, count } from "../../kit/words.ts";
import { EVENT_GROUPS, type EventFilter, filterEvents, groupOf } from "./filter-events.ts";

const TONES: Record<string, Tone> = {
  Runs: "accent",
  Text: "plain",
  Reasoning: "thought",
  Tools: "good",
  State: "warn",
  Other: "plain",
};

/** Every AG-UI event of the session as it was sent, filtered by kind and text. Ten thousand are no more work than ten. */
export function EventInspector({ events }: { events: readonly SessionEvent[] }) {
  const [filter, setFilter] = useState<EventFilter>({ group: "", text: "" });
  const total = events.length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list grows in place; its length is the news
  const shown = useMemo(() => filterEvents(events, filter), [events, total, filter]);
  return (
    <div className="flex h-full flex-col gap-3 py-4">
      <search className="flex flex-wrap items-end gap-3">
        <Field label="Kind" className="w-40">
          {(control) => (
            <Select
              {...control}
              value={filter.group}
              onChange={({ target }) => setFilter({ ...filter, group: target.value })}
            >
              <option value="">All</option>
              {EVENT_GROUPS.map((group) => (
                <option key={group}>{group}</option>
              ))}
            </Select>
          )}
        </Field>
        <TextField
          label="Contains"
          className="min-w-40 flex-1"
          type="search"
          value={filter.text}
          onChange={(value) => setFilter({ ...filter, text: value })}
        />
        <p role="status" className="pb-2 text-xs text-ink-faint">
          {count(shown.length, "event")} of {count(total, "event")}
        </p>
      </search>
      {shown.length === 0 ? (
        <Empty icon={Radio} title={total === 0 ? "No events yet" : "No matches"} />
      ) : (
        <VirtualRows
          label="Events"
          items={shown}
          keyOf={({ seq }) => seq}
          estimatePx={34}
          className="min-h-0 flex-1 rounded-xl border border-line bg-surface"
        >
          {({ seq, event }) => <EventRow seq={seq} event={event} />}
        </VirtualRows>
      )}
    </div>
  );
}

function EventRow({ seq, event }: { seq: number; event: RunEvent }) {
  const { type, timestamp, ...rest } = event;
  return (
    <details className="group border-b border-line">
      <summary className="flex items-center gap-3 px-3 py-1.5 -outline-offset-2 hover:bg-sunken">
        <span className="numbers w-12 shrink-0 text-right text-xs text-ink-faint">{seq}</span>
        <Badge tone={TONES[groupOf(type)] ?? "plain"}>{type}</Badge>
        <code className="min-w-0 flex-1 truncate text-xs text-ink-soft">
          {JSON.stringify(rest).slice(0, 240)}
        </code>
        {timestamp !== undefined && (
          <span className="numbers text-xs text-ink-faint">{clock(timestamp)}</span>
        )}
      </summary>
      <pre className="border-t border-line bg-sunken p-3 text-xs leading-5 whitespace-pre-wrap">
        {JSON.stringify(event, null, 2)}
      </pre>
    </details>
  );
}
