import type { ModelInfo } from "@capstan/client";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { Loaded } from "../../kit/states.tsx";
import { amount } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";

const price = (value: number | undefined): string => (value === undefined ? "?" : `$${value}`);

export function Models() {
  const [agent, setAgent] = useState("");
  const agents = useRead(["coding-agents"], (signal) => api.codingAgents.list(signal)).data?.items ?? [];
  const query = useRead(["models", agent], (signal) => api.codingAgents.models(agent || undefined, signal), {
    keepPrevious: true,
  });
  return (
    <div className="flex flex-col gap-4">
      <Field label="Agent" className="w-52">
        {(control) => (
          <Select {...control} value={agent} onChange={({ target }) => setAgent(target.value)}>
            <option value="">All</option>
            <option value="native">Capstan (native)</option>
            {agents.map(({ name, display_name }) => (
              <option key={name} value={name}>
                {display_name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Loaded query={query} what="Models" rows={8}>
        {({ items }) => <ModelTable models={items} />}
      </Loaded>
    </div>
  );
}

function ModelTable({ models }: { models: ModelInfo[] }) {
  return (
    <Panel flush>
      <ScrollRegion label="Models" className="max-h-[70dvh] rounded-xl">
        <table className="numbers w-full text-left">
          <thead className="sticky top-0 bg-surface text-xs text-ink-soft">
            <tr className="border-b border-line">
              {["Model", "Agent", "Context", "Output", "In / M", "Cached / M", "Out / M", "Thinking"].map(
                (title) => (
                  <th key={title} className="px-4 py-2 font-medium">
                    {title}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {models.map((model) => (
              <tr key={`${model.agent} ${model.modelId}`}>
                <td className="px-4 py-2">
                  <span className="flex flex-wrap items-center gap-1.5">
                    {model.displayName}
                    {model.isDefault && model.agent !== "native" && <Badge tone="accent">default</Badge>}
                    {model.deprecated && <Badge tone="warn">deprecated</Badge>}
                  </span>
                  <Code>{model.modelId}</Code>
                </td>
                <td className="px-4 py-2">{model.agent}</td>
                <td className="px-4 py-2">{amount(model.contextWindow)}</td>
                <td className="px-4 py-2">{amount(model.maxOutputTokens)}</td>
                <td className="px-4 py-2">{price(model.inputPricePerMillion)}</td>
                <td className="px-4 py-2">{price(model.cachedInputPricePerMillion)}</td>
                <td className="px-4 py-2">{price(model.outputPricePerMillion)}</td>
                <td className="px-4 py-2">
                  {model.thinkingEffortLevels?.join(", ") ?? (model.supportsThinking ? "yes" : "no")}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Panel>
  );
}
