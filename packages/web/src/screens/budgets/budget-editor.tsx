/** The form for a budget. */
import type { Budget } from "@capstan/client";
import { budgetSentence } from "@capstan/core/internal";
import { useState } from "react";
import { AgentField } from "../../forms/agent-field.tsx";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, Select, TextInput } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

type Draft = Omit<
  Budget,
  | "id"
  | "sentence"
  | "period_start"
  | "period_end"
  | "spending"
  | "created_by"
  | "created_at"
  | "updated_at"
  | "webhook"
> & { readonly hook: string };

const EMPTY: Draft = {
  name: "",
  measure: "cost_usd",
  limit: 20,
  period: "day",
  time_zone: "UTC",
  agent_id: null,
  user: null,
  capability_id: null,
  for_each: null,
  at_limit: "ask",
  hook: "",
};

const draftOf = ({ webhook, ...budget }: Budget): Draft => ({
  name: budget.name,
  measure: budget.measure,
  limit: budget.limit,
  period: budget.period,
  time_zone: budget.time_zone,
  agent_id: budget.agent_id,
  user: budget.user,
  capability_id: budget.capability_id,
  for_each: budget.for_each,
  at_limit: budget.at_limit,
  hook: webhook?.url ?? "",
});

const CHOICES = {
  measure: { cost_usd: "US dollars", tokens: "tokens", calls: "tool calls" },
  period: { minute: "a minute", hour: "an hour", day: "a day", week: "a week", month: "a month" },
  for_each: { "": "all together", user: "each user", agent: "each agent" },
  at_limit: { ask: "ask an admin", wait: "wait for the next period", deny: "refuse" },
} as const;

export function BudgetEditor({ budget, onClose }: { budget: Budget | undefined; onClose: () => void }) {
  const [draft, setDraft] = useState<Draft>(budget ? draftOf(budget) : EMPTY);
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part });
  const { hook, ...fields } = draft;
  const body = { ...fields, webhook: hook.trim() === "" ? null : { url: hook.trim() } };
  const save = useChange(async () => {
    const done = budget ? await api.budgets.change(budget.id, body) : await api.budgets.create(body);
    if (done.ok) onClose();
    return done;
  }, ["budgets"]);
  const isComplete = draft.name.trim() !== "" && draft.limit > 0;
  return (
    <Dialog
      wide
      title={budget ? "Change this budget" : "New budget"}
      onClose={onClose}
      footer={
        <Button
          look="primary"
          busy={save.isPending}
          doing="Saving…"
          disabled={!isComplete}
          onClick={() => save.mutate(undefined)}
        >
          Save
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <div className="grid gap-3 md:grid-cols-2">
          <Text label="Name" value={draft.name} onChange={(name) => change({ name })} />
          <Text
            label="Limit"
            type="number"
            value={String(draft.limit)}
            onChange={(limit) => change({ limit: Number(limit) })}
          />
          <Choice label="Of" of="measure" draft={draft} onChange={change} />
          <Choice label="In" of="period" draft={draft} onChange={change} />
          <Choice label="For" of="for_each" draft={draft} onChange={change} />
          <Choice label="At the limit" of="at_limit" draft={draft} onChange={change} />
        </div>
        <p aria-live="polite" className="rounded-lg bg-accent-soft p-3 font-medium text-accent-ink">
          {sentenceOf(draft)}.
        </p>
        <Whose draft={draft} onChange={change} />
        <ChangeFailure error={save.error} />
      </div>
    </Dialog>
  );
}

const sentenceOf = ({ measure, limit, period, agent_id, user, capability_id, for_each, ...rest }: Draft) =>
  budgetSentence({
    measure,
    limit,
    period,
    timeZone: rest.time_zone,
    agentId: agent_id ?? undefined,
    user: user ?? undefined,
    capabilityId: capability_id ?? undefined,
    forEach: for_each ?? undefined,
    atLimit: rest.at_limit,
  });

interface PartProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}

/** Whose spending counts, where a day begins, and who is told. */
function Whose({ draft, onChange }: PartProps) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <AgentField
        label="Only by the agent"
        value={draft.agent_id}
        onChange={(agent_id) => onChange({ agent_id })}
      />
      <Text
        label="Only for the user"
        value={draft.user ?? ""}
        onChange={(user) => onChange({ user: user.trim() || null })}
      />
      <Text
        label="Only of the capability"
        value={draft.capability_id ?? ""}
        onChange={(id) => onChange({ capability_id: id.trim() || null })}
      />
      <Text label="Time zone" value={draft.time_zone} onChange={(time_zone) => onChange({ time_zone })} />
      <Text
        label="Webhook for alerts"
        hint="Called at 50, 80 and 100 percent."
        type="url"
        value={draft.hook}
        onChange={(hook) => onChange({ hook })}
      />
    </div>
  );
}

function Choice<K extends keyof typeof CHOICES>({
  label,
  of,
  draft,
  onChange,
}: PartProps & { label: string; of: K }) {
  return (
    <Field label={label}>
      {(control) => (
        <Select
          {...control}
          value={draft[of] ?? ""}
          onChange={({ target }) => onChange({ [of]: target.value || null } as Partial<Draft>)}
        >
          {Object.entries(CHOICES[of]).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function Text({
  label,
  hint,
  type = "text",
  value,
  onChange,
}: {
  label: string;
  hint?: string;
  type?: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Field label={label} {...(hint !== undefined && { hint })}>
      {(control) => (
        <TextInput {...control} type={type} value={value} onChange={({ target }) => onChange(target.value)} />
      )}
    </Field>
  );
}
