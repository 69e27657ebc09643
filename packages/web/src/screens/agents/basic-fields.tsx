import { Field, Select, TextArea, TextInput } from "../../kit/field.tsx";
import { ModelButton } from "../../models/model-button.tsx";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import type { AgentDraft } from "./agent-draft.ts";

export interface DraftProps {
  draft: AgentDraft;
  onChange: (part: Partial<AgentDraft>) => void;
}

export function BasicFields({ draft, onChange }: DraftProps) {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <Field label="Name" required>
        {(control) => (
          <TextInput
            {...control}
            value={draft.name}
            onChange={({ target }) => onChange({ name: target.value })}
          />
        )}
      </Field>
      <Field label="Description" hint="Shown in lists, and used to route tasks.">
        {(control) => (
          <TextInput
            {...control}
            value={draft.description}
            onChange={({ target }) => onChange({ description: target.value })}
          />
        )}
      </Field>
      <Field label="System prompt" className="md:col-span-2" hint="Added after the capabilities' prompts.">
        {(control) => (
          <TextArea
            {...control}
            rows={5}
            value={draft.system_prompt}
            onChange={({ target }) => onChange({ system_prompt: target.value })}
          />
        )}
      </Field>
      <ModelField draft={draft} onChange={onChange} />
      <HarnessField draft={draft} onChange={onChange} />
    </div>
  );
}

function ModelField({ draft, onChange }: DraftProps) {
  return (
    <Field label="Model" hint="What answers, unless a chat chooses another.">
      {(control) => (
        <div {...control} className="flex h-9 items-center rounded-lg border border-line-strong/60 px-1">
          <ModelButton
            className="w-full justify-between!"
            model={draft.model ?? undefined}
            inherit="Default model"
            onChoose={(model) => onChange({ model: model ?? null })}
          />
        </div>
      )}
    </Field>
  );
}

function HarnessField({ draft, onChange }: DraftProps) {
  const agents = useRead(["coding-agents"], (signal) => api.codingAgents.list(signal)).data?.items ?? [];
  const names = new Set(["native", draft.harness, ...agents.map(({ name }) => name)]);
  return (
    <Field label="Harness" hint="What runs the agent: Capstan, or a coding agent's CLI with the same tools.">
      {(control) => (
        <Select
          {...control}
          value={draft.harness}
          onChange={({ target }) => onChange({ harness: target.value })}
        >
          {[...names].map((name) => (
            <option key={name} value={name}>
              {name === "native" ? "Capstan (native)" : name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
