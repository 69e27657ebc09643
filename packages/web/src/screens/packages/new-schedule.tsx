/** A new schedule: which agent, what it is told, and when. */
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Field, Select, TextArea, TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { capabilityId } from "../../server/capability-id.ts";
import { useChange } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";

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
  const agents = (useAgents().data?.items ?? []).filter(({ capabilities }) => capabilities.length > 0);
  const [chosen, choose] = useState("");
  const [message, setMessage] = useState("");
  const [cron, setCron] = useState("");
  const [timezone, setTimezone] = useState(HERE);
  const agent = agents.find(({ id }) => id === chosen);
  const [first] = agent?.capabilities ?? [];
  const put = useChange(
    () =>
      api.schedules.put({
        agent_id: chosen,
        capability: first === undefined ? "" : capabilityId(first),
        payload: { message: message.trim() },
        cron: cron.trim(),
        timezone: timezone.trim(),
      }),
    ["schedules"],
  );
  const clear = () => {
    setCron("");
    setMessage("");
  };
  return (
    <form
      className="flex flex-wrap items-start gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate(undefined, { onSuccess: clear });
      }}
    >
      <Field label="Agent" hint="One of yours that has a capability." className="min-w-44 flex-1">
        {(control) => (
          <Select {...control} value={chosen} onChange={({ target }) => choose(target.value)}>
            <option value="">Choose</option>
            {agents.map(({ id, name }) => (
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
      <p className="flex w-full flex-wrap gap-1.5 text-xs">
        {EXAMPLES.map(([expression, label]) => (
          <Button key={expression} size="sm" look="quiet" onClick={() => setCron(expression)}>
            {label}
          </Button>
        ))}
      </p>
      <Field label="Message" hint="What the agent is told each time." className="w-full">
        {(control) => (
          <TextArea
            {...control}
            rows={2}
            placeholder="Summarise what changed since yesterday."
            value={message}
            onChange={({ target }) => setMessage(target.value)}
          />
        )}
      </Field>
      <Button
        type="submit"
        look="primary"
        busy={put.isPending}
        doing="Adding…"
        disabled={!agent || message.trim() === "" || cron.trim() === ""}
      >
        Add
      </Button>
      <div className="w-full empty:hidden">
        <ChangeFailure error={put.error} />
      </div>
    </form>
  );
}
