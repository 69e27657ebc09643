import type { Schedule } from "@capstan/client";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, Select, TextInput } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useCapabilities } from "../../server/reads.ts";

/** Scheduled triggers: a cron expression for a capability. */
export function Schedules() {
  const query = useRead(["schedules"], (signal) => api.schedules.list(signal));
  return (
    <Panel title="Schedules">
      <div className="flex flex-col gap-4">
        <Loaded query={query} what="Schedules" rows={2}>
          {({ items }) => (
            <>
              {items.length === 0 && <p className="text-ink-soft">No schedules yet.</p>}
              <ul className="flex flex-col gap-2">
                {items.map((schedule) => (
                  <li key={schedule.id}>
                    <ScheduleRow schedule={schedule} />
                  </li>
                ))}
              </ul>
              <NewSchedule />
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

function ScheduleRow({
  schedule: { id, cron, capability, user, timezone, enabled },
}: {
  schedule: Schedule;
}) {
  const remove = useChange(() => api.schedules.remove(id), ["schedules"]);
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Code>{cron}</Code>
      <span className="min-w-0 flex-1 text-ink-soft">
        {capability} for {user}, {timezone}
      </span>
      {!enabled && <Badge tone="warn">off</Badge>}
      <Button
        size="sm"
        look="danger"
        busy={remove.isPending}
        aria-label={`Remove the schedule of ${capability}`}
        onClick={() => remove.mutate(undefined)}
      >
        Remove
      </Button>
      <ChangeFailure error={remove.error} />
    </div>
  );
}

function NewSchedule() {
  const capabilities = useCapabilities().data?.items ?? [];
  const [capability, setCapability] = useState("");
  const [cron, setCron] = useState("");
  const put = useChange(() => api.schedules.put({ capability, cron: cron.trim() }), ["schedules"]);
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        put.mutate(undefined, { onSuccess: () => setCron("") });
      }}
    >
      <Field label="Capability" className="min-w-44 flex-1">
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
      <Field label="Cron" className="w-44">
        {(control) => (
          <TextInput
            {...control}
            placeholder="0 9 * * 1-5"
            value={cron}
            onChange={({ target }) => setCron(target.value)}
          />
        )}
      </Field>
      <Button type="submit" busy={put.isPending} disabled={capability === "" || cron.trim() === ""}>
        Add
      </Button>
      <div className="w-full empty:hidden">
        <ChangeFailure error={put.error} />
      </div>
    </form>
  );
}
