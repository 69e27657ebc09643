/** A part of the day, on some days, in a time zone. */
import { Choices } from "../../kit/choices.tsx";
import { TextInput } from "../../kit/field.tsx";
import { type Condition, DAYS } from "./rule-draft.ts";

type TimeCondition = Extract<Condition, { time: unknown }>;

interface TimeFieldsProps {
  name: string;
  time: TimeCondition["time"];
  onChange: (condition: TimeCondition) => void;
}

export function TimeFields({ name, time, onChange }: TimeFieldsProps) {
  const { zone, days, ...hours } = time;
  const change = (next: Partial<TimeCondition["time"]>) => {
    const { zone: inZone, days: onDays, ...rest } = { ...time, ...next };
    const isEveryDay = onDays === undefined || onDays.length === DAYS.length;
    onChange({ time: { ...rest, ...(inZone && { zone: inZone }), ...(!isEveryDay && { days: onDays }) } });
  };
  const field = (key: "from" | "to") => (
    <TextInput
      aria-label={`${name}: ${key}`}
      className="w-28"
      type="time"
      value={hours[key]}
      onChange={({ target }) => change({ [key]: target.value })}
    />
  );
  return (
    <>
      {field("from")}
      <span className="text-sm text-ink-soft">to</span>
      {field("to")}
      <TextInput
        aria-label={`${name}: zone`}
        className="w-36"
        placeholder="UTC"
        value={zone ?? ""}
        onChange={({ target }) => change({ zone: target.value })}
      />
      <Choices
        label={`${name}: days`}
        options={DAYS}
        chosen={days ?? DAYS}
        onChange={(chosen) => change({ days: chosen })}
      />
    </>
  );
}
