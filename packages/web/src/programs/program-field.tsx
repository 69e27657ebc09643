import type { ContinueIn } from "@capstan/client";
import { Field, Select } from "../kit/field.tsx";
import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";

/** Capstan's own loop, and every coding agent that the server knows. */
export function usePrograms(): string[] {
  const agents = useRead(["coding-agents"], (signal) => api.codingAgents.list(signal)).data?.items ?? [];
  return ["native", ...agents.map(({ name }) => name)];
}

export const programName = (harness: string): string => (harness === "native" ? "Capstan (native)" : harness);

export const programText = ({ harness, model }: ContinueIn): string =>
  model ? `${programName(harness)}, ${model}` : programName(harness);

/** The program's own model ids; none for the native loop, which has a picker of its own. */
export const useProgramModels = (harness: string) =>
  useRead(["models", harness], (signal) => api.codingAgents.models(harness, signal), {
    enabled: harness !== "native",
  }).data?.items ?? [];

interface ProgramFieldProps {
  label: string;
  value: ContinueIn;
  onChange: (value: ContinueIn) => void;
}

/** A program, and which of its models. */
export function ProgramField({ label, value, onChange }: ProgramFieldProps) {
  const programs = usePrograms();
  const models = useProgramModels(value.harness);
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Field label={label}>
        {(control) => (
          <Select
            {...control}
            value={value.harness}
            onChange={({ target }) => onChange({ harness: target.value })}
          >
            {programs.map((name) => (
              <option key={name} value={name}>
                {programName(name)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label={`Model of ${label.toLowerCase()}`}>
        {(control) => (
          <Select
            {...control}
            value={value.model ?? ""}
            onChange={({ target: { value: model } }) =>
              onChange({ harness: value.harness, ...(model !== "" && { model }) })
            }
          >
            <option value="">Default model</option>
            {models.map(({ modelId }) => (
              <option key={modelId}>{modelId}</option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  );
}
