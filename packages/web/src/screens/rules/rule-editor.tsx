/** A rule written as a sentence: what, which tools, when; simulated on past calls before it is saved. */
import { type Rule, type RuleCreate, rulePatch } from "@capstan/client";
import { ruleSentence } from "@capstan/core/internal";
import { useState } from "react";
import { AgentField } from "../../forms/agent-field.tsx";
import { ActionButton, Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Select, TextField } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useCancellableChange, useChange } from "../../server/queries.ts";
import { ConditionRow } from "./condition-row.tsx";
import { LimitFields } from "./limit-fields.tsx";
import { argumentKinds, asks, draftOf, EMPTY, effectOf, type RuleDraft, ruleOf } from "./rule-draft.ts";
import { RuleTrial } from "./rule-trial.tsx";
import { ToolPicker, useToolSchema } from "./tool-picker.tsx";

interface RuleEditorProps {
  rule?: Rule | undefined;
  saved: readonly Rule[];
  onClose: () => void;
}

const fieldsOf = ({ id, sentence, created_by, created_at, updated_at, ...fields }: Rule): RuleCreate =>
  fields;

export function RuleEditor({ rule, saved, onClose }: RuleEditorProps) {
  const [draft, setDraft] = useState<RuleDraft>(rule ? draftOf(rule) : EMPTY);
  const { limit, ask } = effectOf(draft);
  const sentence = ruleSentence({
    tools: draft.tools,
    when: draft.when,
    effect: draft.then,
    limit: limit ?? undefined,
    ask: ask?.whom ? { whom: ask.whom } : undefined,
  });
  const body = ruleOf(draft, sentence, rule?.ask);
  const others = saved.filter(({ id }) => id !== rule?.id).map(fieldsOf);
  const { change: trial, cancel } = useCancellableChange((_: undefined, signal) =>
    api.rules.simulate({ rules: [...others, body] }, signal),
  );
  const save = useChange(async () => {
    const done = rule ? await api.rules.change(rule.id, rulePatch(rule, body)) : await api.rules.create(body);
    if (done.ok) onClose();
    return done;
  }, ["rules"]);
  const change = (part: Partial<RuleDraft>) => {
    setDraft({ ...draft, ...part });
    trial.reset();
  };
  const incomplete = draft.tools.length === 0;
  return (
    <Dialog
      wide
      title={rule ? "Change this rule" : "New rule"}
      onClose={onClose}
      footer={
        <>
          <ActionButton
            busy={trial.isPending}
            doing="Simulating…"
            disabled={incomplete}
            onCancel={cancel}
            onClick={() => trial.mutate(undefined)}
          >
            Simulate
          </ActionButton>
          <Button
            look="primary"
            busy={save.isPending}
            doing="Saving…"
            disabled={incomplete}
            onClick={() => save.mutate(undefined)}
          >
            Save
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Sentence draft={draft} onChange={change} />
        <p aria-live="polite" className="rounded-lg bg-accent-soft p-3 font-medium text-accent-ink">
          {incomplete ? "Choose a tool to complete the sentence." : sentence}
        </p>
        <More draft={draft} onChange={change} />
        <ChangeFailure error={save.error ?? trial.error} />
        {trial.data && <RuleTrial trial={trial.data} />}
      </div>
    </Dialog>
  );
}

interface PartProps {
  draft: RuleDraft;
  onChange: (part: Partial<RuleDraft>) => void;
}

function Sentence({ draft, onChange }: PartProps) {
  const { schema, isExpected } = useToolSchema(draft.tools);
  const kinds = isExpected ? argumentKinds(schema) : undefined;
  const conditions = draft.when.map((condition, at) => ({ condition, at }));
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          aria-label="Effect"
          className="w-auto"
          value={draft.then}
          onChange={({ target }) => onChange({ then: target.value as RuleDraft["then"] })}
        >
          <option value="allow">Allow</option>
          <option value="ask">Ask before</option>
          <option value="deny">Deny</option>
          <option value="limit">Limit</option>
        </Select>
        {draft.then === "limit" && (
          <LimitFields limit={draft.limit} onChange={(next) => onChange({ limit: next })} />
        )}
        <ToolPicker tools={draft.tools} onChange={(tools) => onChange({ tools })} />
      </div>
      <ul className="flex flex-col gap-2">
        {conditions.map(({ condition, at }) => (
          <ConditionRow
            key={at}
            number={at + 1}
            condition={condition}
            kinds={kinds}
            onChange={(next) => onChange({ when: draft.when.with(at, next) })}
            onRemove={() => onChange({ when: draft.when.toSpliced(at, 1) })}
          />
        ))}
      </ul>
      <Button
        size="sm"
        className="self-start"
        onClick={() => onChange({ when: [...draft.when, { arg: "", op: "is", value: "" }] })}
      >
        Add a condition
      </Button>
    </div>
  );
}

function More({ draft, onChange }: PartProps) {
  return (
    <div className="grid gap-3 md:grid-cols-2">
      <TextField
        label="Name"
        hint="Default: the sentence."
        value={draft.name}
        onChange={(value) => onChange({ name: value })}
      />
      <AgentField label="For" value={draft.agentId} onChange={(agentId) => onChange({ agentId })} />
      <TextField
        label="Words"
        hint="Shown to the approver, or to the model when the call is denied."
        value={draft.words}
        onChange={(value) => onChange({ words: value })}
      />
      {asks(draft) && (
        <TextField
          label="Ask"
          hint="An email, or admin. Empty: the user."
          value={draft.whom}
          onChange={(value) => onChange({ whom: value })}
        />
      )}
      <TextField
        label="Ends after"
        hint="Empty: never."
        type="date"
        value={draft.expires}
        onChange={(value) => onChange({ expires: value })}
      />
    </div>
  );
}
