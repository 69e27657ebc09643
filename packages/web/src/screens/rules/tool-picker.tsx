/** The tools of a rule: chosen from a capability, or by what they do. */
import type { Result } from "@capstan/core";
import X from "lucide-react/icons/x";
import { useState } from "react";
import type { Json } from "../../forms/schema-fields.ts";
import { Code } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import { Select } from "../../kit/field.tsx";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { useCapabilities, useCapability } from "../../server/reads.ts";

const KINDS: readonly (readonly [pattern: string, label: string])[] = [
  ["*", "every tool"],
  ["writes:external", "every tool that sends something out"],
  ["writes:irreversible", "every tool whose effect cannot be undone"],
  ["reads:private", "every tool that reads private data"],
  ["reads:untrusted", "every tool that reads untrusted data"],
  ["uses:secrets", "every tool that makes a change with a stored credential"],
];

interface ToolPickerProps {
  tools: readonly string[];
  onChange: (tools: readonly string[]) => void;
}

export function ToolPicker({ tools, onChange }: ToolPickerProps) {
  const [from, setFrom] = useState("");
  const capabilities = useCapabilities().data?.items ?? [];
  const chosen = useCapability(from === "" ? undefined : from).data;
  const add = (tool: string) => tool !== "" && !tools.includes(tool) && onChange([...tools, tool]);
  const choices =
    from === ""
      ? KINDS
      : [
          [`capability:${from}`, "all of its tools"] as const,
          ...(chosen?.tools ?? []).map(({ name }) => [name, name] as const),
        ];
  return (
    <>
      {tools.map((tool) => (
        <span key={tool} className="flex items-center gap-1">
          <Code>{tool}</Code>
          <IconButton
            label={`Remove ${tool}`}
            onClick={() => onChange(tools.filter((each) => each !== tool))}
          >
            <X className="size-3.5" aria-hidden />
          </IconButton>
        </span>
      ))}
      <Select
        aria-label="Tools of"
        className="w-auto"
        value={from}
        onChange={({ target }) => setFrom(target.value)}
      >
        <option value="">any capability</option>
        {capabilities.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        aria-label="Add a tool"
        className="w-auto"
        value=""
        onChange={({ target }) => add(target.value)}
      >
        <option value="">add a tool…</option>
        {choices.map(([pattern, label]) => (
          <option key={pattern} value={pattern}>
            {label}
          </option>
        ))}
      </Select>
    </>
  );
}

/** The schema of the first named tool, so that its arguments can be chosen. */
export function useToolSchema(tools: readonly string[]): { schema: Json | undefined; isExpected: boolean } {
  const named = tools.find((tool) => !/[:*]/.test(tool));
  const query = useRead(
    ["rules", "schema", named],
    async (signal): Promise<Result<{ schema: Json | undefined }>> => {
      const all = await api.capabilities.all({}, signal);
      if (!all.ok) return all;
      for (const { id } of all.value) {
        const found = await api.capabilities.get(id, signal);
        const tool = found.ok ? found.value.tools.find(({ name }) => name === named) : undefined;
        if (tool) return { ok: true, value: { schema: tool.input_schema as Json } };
      }
      return { ok: true, value: { schema: undefined } };
    },
    { enabled: named !== undefined },
  );
  return { schema: query.data?.schema, isExpected: query.isFetching || query.data?.schema !== undefined };
}
