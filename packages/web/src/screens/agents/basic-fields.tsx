import { Field, Select, TextArea, TextField, TextInput } from "../../kit/field.tsx";
import { ModelButton } from "../../models/model-button.tsx";
import { programName, useProgramModels, usePrograms } from "../../programs/program-field.tsx";
import type { AgentDraft } from "./agent-draft.ts";

export interface DraftProps {
  draft: AgentDraft;
  onChange: (part: Partial<AgentDraft>) => void;
}

export function BasicFields({ draft, onChange }: DraftProps) {
  return (
    <div className="grid gap-4 md:grid-cols-2">
      <TextField label="Name" required value={draft.name} onChange={(value) => onChange({ name: value })} />
      <TextField
        label="Description"
        hint="Shown in lists, and used to route tasks."
        value={draft.description}
        onChange={(value) => onChange({ description: value })}
      />
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
      <HarnessField draft={draft} onChange={onChange} />
      {draft.harness === "native" ? (
        <ModelField draft={draft} onChange={onChange} />
      ) : (
        <ProgramModelField draft={draft} onChange={onChange} />
      )}
      <ThinkingFields draft={draft} onChange={onChange} />
      {draft.harness === "native" && <FallbackFields draft={draft} onChange={onChange} />}
    </div>
  );
}

function ModelField({ draft, onChange }: DraftProps) {
  return (
    <Field label="Model" hint="Answers unless a chat chooses another model.">
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

const MOST_FALLBACKS = 5;

/** One button per model, and one more to add the next; choosing none removes it. */
function FallbackFields({ draft, onChange }: DraftProps) {
  const chosen = draft.fallback_models;
  const set = (at: number, model: string | undefined) =>
    onChange({ fallback_models: chosen.toSpliced(at, 1, ...(model === undefined ? [] : [model])) });
  const places = chosen.length < MOST_FALLBACKS ? [...chosen, undefined] : chosen;
  return (
    <Field
      label="Fallback models"
      className="md:col-span-2"
      hint="Tried in this order when a provider is down, over quota or too slow."
    >
      {(control) => (
        <div {...control} className="flex flex-wrap gap-2">
          {places.map((model, at) => (
            <div
              key={model ?? "none"}
              className="flex h-9 items-center rounded-lg border border-line-strong/60 px-1"
            >
              <ModelButton
                model={model}
                inherit="None"
                empty="Add a model"
                onChoose={(next) => set(at, next)}
              />
            </div>
          ))}
        </div>
      )}
    </Field>
  );
}

/** A program has models of its own, under its own names. */
function ProgramModelField({ draft, onChange }: DraftProps) {
  const models = useProgramModels(draft.harness).map(({ modelId }) => modelId);
  const names = new Set(draft.model === null ? models : [draft.model, ...models]);
  return (
    <Field label="Model" hint={`A model of ${draft.harness}, under the name it uses.`}>
      {(control) => (
        <Select
          {...control}
          value={draft.model ?? ""}
          onChange={({ target }) => onChange({ model: target.value || null })}
        >
          <option value="">Default of {draft.harness}</option>
          {[...names].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </Select>
      )}
    </Field>
  );
}

const EFFORTS = ["low", "medium", "high", "max"] as const;

/** The native loop takes an effort; a number of tokens is for programs whose model takes one. */
function ThinkingFields({ draft, onChange }: DraftProps) {
  const effort = EFFORTS.find((level) => level === draft.thinking_effort);
  return (
    <>
      <Field label="Thinking effort" hint="Used when a message does not set one.">
        {(control) => (
          <Select
            {...control}
            value={effort ?? ""}
            onChange={({ target: { value } }) =>
              onChange({ thinking_effort: EFFORTS.find((level) => level === value) ?? null })
            }
          >
            <option value="">Default</option>
            {EFFORTS.map((level) => (
              <option key={level}>{level}</option>
            ))}
          </Select>
        )}
      </Field>
      {draft.harness !== "native" && (
        <Field label="Thinking budget (tokens)" hint="For models that take a number instead of an effort.">
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={0}
              step={1}
              placeholder="none"
              value={draft.thinking_budget ?? ""}
              onChange={({ target: { valueAsNumber } }) =>
                onChange({ thinking_budget: Number.isNaN(valueAsNumber) ? null : valueAsNumber })
              }
            />
          )}
        </Field>
      )}
    </>
  );
}

function HarnessField({ draft, onChange }: DraftProps) {
  const names = new Set([...usePrograms(), draft.harness]);
  // Another program would refuse the old model and budget, so both are reset.
  const choose = (harness: string) =>
    onChange({ harness, model: null, fallback_models: [], thinking_budget: null });
  return (
    <Field label="Harness" hint="What runs the agent: Capstan, or a coding agent's CLI with the same tools.">
      {(control) => (
        <Select {...control} value={draft.harness} onChange={({ target }) => choose(target.value)}>
          {[...names].map((name) => (
            <option key={name} value={name}>
              {programName(name)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
