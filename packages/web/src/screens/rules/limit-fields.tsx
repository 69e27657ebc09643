/** How many calls, in which period, counted for whom, and what happens beyond. */
import { Select, TextInput } from "../../kit/field.tsx";
import type { Limit } from "./rule-draft.ts";

const PERIODS = ["minute", "hour", "day", "week", "month"] as const;

type Count = Pick<Limit, "calls" | "per" | "each">;

/** `name` stands before each field's own, where there are several. */
export function CountFields<C extends Count>({
  name = "Limit",
  count,
  onChange,
}: {
  name?: string;
  count: C;
  onChange: (count: C) => void;
}) {
  return (
    <>
      <TextInput
        aria-label={`${name}: calls`}
        className="w-20"
        type="number"
        min={1}
        max={1000}
        value={count.calls}
        onChange={({ target }) => onChange({ ...count, calls: Number(target.value) })}
      />
      <Select
        aria-label={`${name}: per`}
        className="w-auto"
        value={count.per}
        onChange={({ target }) => onChange({ ...count, per: target.value as Limit["per"] })}
      >
        {PERIODS.map((per) => (
          <option key={per} value={per}>
            calls per {per}
          </option>
        ))}
      </Select>
      <Select
        aria-label={`${name}: for each`}
        className="w-auto"
        value={count.each ?? ""}
        onChange={({ target: { value } }) => {
          const { each: _, ...rest } = count;
          onChange({ ...rest, ...(value !== "" && { each: value }) } as C);
        }}
      >
        <option value="">all together</option>
        <option value="user">for each user</option>
        <option value="agent">for each agent</option>
        <option value="session">for each session</option>
      </Select>
    </>
  );
}

export function LimitFields({ limit, onChange }: { limit: Limit; onChange: (limit: Limit) => void }) {
  return (
    <>
      <CountFields count={limit} onChange={onChange} />
      <Select
        aria-label="Limit: above it"
        className="w-auto"
        value={limit.over ?? "deny"}
        onChange={({ target }) => onChange({ ...limit, over: target.value as "ask" | "deny" })}
      >
        <option value="deny">then deny</option>
        <option value="ask">then ask</option>
      </Select>
      <span className="text-sm text-ink-soft">of</span>
    </>
  );
}
