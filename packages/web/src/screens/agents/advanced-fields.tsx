import type { AgentPreview, ApprovalExpiryWire } from "@capstan/client";
import { Code } from "../../kit/badge.tsx";
import { Field, Select, TextArea, TextInput, Toggle } from "../../kit/field.tsx";
import type { AgentDraft } from "./agent-draft.ts";
import type { DraftProps } from "./basic-fields.tsx";

const LIMITS: [key: keyof AgentDraft["limits"], label: string, hint: string][] = [
  ["max_steps", "Steps", "Model calls in one run."],
  ["max_seconds", "Seconds", "Time waiting for approval is not counted."],
  ["max_tokens", "Tokens", "Input and output together."],
  ["max_cost_usd", "Cost in USD", "Based on the model's prices."],
];

interface AdvancedFieldsProps extends DraftProps {
  preview: AgentPreview | undefined;
}

export function AdvancedFields({ draft, preview, onChange }: AdvancedFieldsProps) {
  return (
    <details className="group rounded-xl border border-line bg-surface">
      <summary className="flex items-center justify-between rounded-xl px-4 py-3 text-sm font-semibold">
        Permissions, approvals and limits
        <span className="text-ink-faint group-open:rotate-90" aria-hidden>
          ›
        </span>
      </summary>
      <div className="flex flex-col gap-6 border-t border-line p-4">
        <Scopes draft={draft} preview={preview} onChange={onChange} />
        <Expiry draft={draft} onChange={onChange} />
        <Limits draft={draft} onChange={onChange} />
        <Toggle
          label="Allow a coding agent's own tools (these bypass approvals and policies)"
          checked={draft.allow_native_tools}
          onChange={(allow_native_tools) => onChange({ allow_native_tools })}
        />
        {(draft.harness !== "native" || draft.folder !== null) && (
          <Folder draft={draft} onChange={onChange} />
        )}
      </div>
    </details>
  );
}

/** Admins only; the server refuses what it does not allow, with the reason. */
const Folder = ({ draft, onChange }: DraftProps) => (
  <Field
    label="Folder"
    hint="A git repository on the server's machine. The coding agent works on a branch of it; you apply or discard the change. Empty: session files."
  >
    {(control) => (
      <TextInput
        {...control}
        className="font-mono text-xs"
        value={draft.folder ?? ""}
        onChange={({ target }) => onChange({ folder: target.value || null })}
      />
    )}
  </Field>
);

function Scopes({ draft, preview, onChange }: AdvancedFieldsProps) {
  const missing = new Set(preview?.hidden_tools.flatMap(({ missing_scopes }) => missing_scopes));
  return (
    <div className="flex flex-col gap-3">
      <Field
        label="Granted scopes"
        hint="One per line. A tool needs the scope from both the agent and its user. * means every scope."
      >
        {(control) => (
          <TextArea
            {...control}
            className="font-mono text-xs"
            value={draft.granted_scopes.join("\n")}
            onChange={({ target }) =>
              onChange({ granted_scopes: target.value.split(/\s+/).filter((scope) => scope !== "") })
            }
          />
        )}
      </Field>
      {missing.size > 0 && (
        <p className="text-xs text-ink-soft">
          Hidden tools need:{" "}
          {[...missing].map((scope) => (
            <Code key={scope}>{scope}</Code>
          ))}
        </p>
      )}
      <Toggle
        label="Allow the agent to request missing scopes"
        checked={draft.may_request_scopes}
        onChange={(may_request_scopes) => onChange({ may_request_scopes })}
      />
    </div>
  );
}

function Expiry({ draft, onChange }: DraftProps) {
  const { approval_expiry: expiry } = draft;
  const seconds = expiry.policy === "wait" ? 3_600 : expiry.after_seconds;
  const choose = (policy: string) => {
    const next: Record<string, ApprovalExpiryWire> = {
      wait: { policy: "wait" },
      expire: { policy: "expire", after_seconds: seconds },
      escalate: { policy: "escalate", after_seconds: seconds, to: "" },
    };
    onChange({ approval_expiry: next[policy] ?? { policy: "wait" } });
  };
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      <Field label="If unanswered">
        {(control) => (
          <Select {...control} value={expiry.policy} onChange={({ target }) => choose(target.value)}>
            <option value="wait">keep waiting</option>
            <option value="expire">deny automatically</option>
            <option value="escalate">escalate</option>
          </Select>
        )}
      </Field>
      {expiry.policy !== "wait" && (
        <Field label="After (seconds)">
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={1}
              value={expiry.after_seconds}
              onChange={({ target }) =>
                onChange({ approval_expiry: { ...expiry, after_seconds: target.valueAsNumber || 1 } })
              }
            />
          )}
        </Field>
      )}
      {expiry.policy === "escalate" && (
        <Field label="Escalate to">
          {(control) => (
            <TextInput
              {...control}
              type="email"
              value={expiry.to}
              onChange={({ target }) => onChange({ approval_expiry: { ...expiry, to: target.value } })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

function Limits({ draft, onChange }: DraftProps) {
  const set = (key: keyof AgentDraft["limits"], value: number) => {
    const { [key]: _, ...rest } = draft.limits;
    onChange({ limits: Number.isNaN(value) ? rest : { ...rest, [key]: value } });
  };
  return (
    <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
      {LIMITS.map(([key, label, hint]) => (
        <Field key={key} label={label} hint={hint}>
          {(control) => (
            <TextInput
              {...control}
              type="number"
              min={0}
              step={key === "max_cost_usd" ? 0.01 : 1}
              placeholder="default"
              value={draft.limits[key] ?? ""}
              onChange={({ target }) => set(key, target.valueAsNumber)}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
