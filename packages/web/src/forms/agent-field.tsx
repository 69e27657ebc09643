/** Which agent something applies to: one of them, or every agent. */
import { Field, Select } from "../kit/field.tsx";
import { useAgents } from "../server/reads.ts";

interface AgentFieldProps {
  label: string;
  /** Null means every agent. */
  value: string | null;
  onChange: (agentId: string | null) => void;
}

export function AgentField({ label, value, onChange }: AgentFieldProps) {
  const agents = useAgents().data?.items ?? [];
  return (
    <Field label={label}>
      {(control) => (
        <Select {...control} value={value ?? ""} onChange={({ target }) => onChange(target.value || null)}>
          <option value="">every agent</option>
          {agents.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
