import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Field, Select, TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { useCapabilities } from "../../server/reads.ts";

/** Usual times, to start from. */
const EXAMPLES = [
  ["0 9 * * 1-5", "Weekdays at 9:00"],
  ["0 * * * *", "Every hour"],
  ["*/15 * * * *", "Every 15 minutes"],
  ["0 8 * * 1", "Mondays at 8:00"],
  ["0 0 1 * *", "First of the month"],
] as const;

const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

export function NewSchedule() {
  const capabilities = useCapabilities().data?.items ?? [];
  const [capability, setCapability] = useState("");
  const [cron, setCron] = useState("");
  const [timezone, setTimezone] = useState(HERE);
  const put = useChange(
    () => api.schedules.put({ capability, cron: cron.trim(), timezone: timezone.trim() }),
    ["schedules"],
  );
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate(undefined, { onSuccess: () => setCron("") });
      }}
    >
      <Field label="Capability" hint="An agent that has it does the work." className="min-w-44 flex-1">
        {(control) => (
          <Select {...control} value={capability} onChange={({ target }) => setCapability(target.value)}>
            <option value="">Choose</option>
            {capabilities.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <TextField
        label="Cron"
        hint="Minute, hour, day, month, weekday"
        className="w-52"
        placeholder="0 9 * * 1-5"
        value={cron}
        onChange={setCron}
      />
      <TextField label="Time zone" className="w-44" value={timezone} onChange={setTimezone} />
      <Button
        type="submit"
        look="primary"
        className="mt-6"
        busy={put.isPending}
        doing="Adding…"
        disabled={capability === "" || cron.trim() === ""}
      >
        Add
      </Button>
      <p className="flex w-full flex-wrap gap-1.5 text-xs">
        {EXAMPLES.map(([expression, label]) => (
          <Button key={expression} size="sm" look="quiet" onClick={() => setCron(expression)}>
            {label}
          </Button>
        ))}
      </p>
      <div className="w-full empty:hidden">
        <ChangeFailure error={put.error} />
      </div>
    </form>
  );
}
