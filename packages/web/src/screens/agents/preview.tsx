import type { AgentPreview } from "@capstan/client";
import type { UseQueryResult } from "@tanstack/react-query";
import EyeOff from "lucide-react/icons/eye-off";
import TriangleAlert from "lucide-react/icons/triangle-alert";
import { type ReactNode, useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { FlowBadges } from "../../kit/flow-badges.tsx";
import { Panel } from "../../kit/panel.tsx";
import { PolicyBadge } from "../../kit/policy-badge.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { FailureNote, Loading } from "../../kit/states.tsx";
import { amount, count, usd } from "../../kit/words.ts";
import { failureOf } from "../../server/api.ts";
import type { AgentDraft } from "./agent-draft.ts";
import type { DraftProps } from "./basic-fields.tsx";
import { ToolPolicy } from "./tool-policy.tsx";
import { useCallPrice } from "./use-call-price.ts";

interface PreviewProps extends DraftProps {
  query: UseQueryResult<AgentPreview>;
}

/** The composed draft: the merged prompt, the tools, what is hidden and why, and the price. */
export function Preview({ query, draft, onChange }: PreviewProps) {
  const { data, isError, error, isFetching } = query;
  return (
    <aside className="min-w-0 xl:sticky xl:top-5" aria-label="Preview" aria-busy={isFetching}>
      <Panel title="Preview" actions={data && !isError && <Price draft={draft} preview={data} />}>
        <div className="flex flex-col gap-5">
          {isError && <FailureNote failure={failureOf(error)} />}
          {!data && !isError && <Loading rows={8} />}
          {data && !isError && <Composed preview={data} draft={draft} onChange={onChange} />}
        </div>
      </Panel>
    </aside>
  );
}

/** The cost of the prompt and the tools per call, and the difference to the saved agent. */
function Price({ draft, preview }: { draft: AgentDraft; preview: AgentPreview }) {
  const { total } = preview.tokens;
  const [first] = useState(total);
  const price = useCallPrice(draft, preview);
  const more = total - first;
  return (
    <span className="flex flex-wrap items-center justify-end gap-1.5">
      {more !== 0 && (
        <Badge tone={more > 0 ? "warn" : "good"} title="Changed since you opened this agent">
          {more > 0 ? "+" : "−"}
          {amount(Math.abs(more))}
        </Badge>
      )}
      <Badge title="Added to every model call">
        {amount(total)} tokens{price !== undefined && ` · ${usd(price)}`} per call
      </Badge>
    </span>
  );
}

function Composed({ preview, draft, onChange }: DraftProps & { preview: AgentPreview }) {
  const { warnings, tools, hidden_tools: hidden, system_prompt: prompt } = preview;
  return (
    <>
      {warnings.map((warning) => (
        <p key={warning} className="flex gap-2 rounded-lg bg-warn-soft p-3 text-warn">
          <TriangleAlert className="mt-0.5 size-4 shrink-0" aria-hidden />
          {warning}
        </p>
      ))}
      <Prices preview={preview} />
      <Part title={count(tools.length, "tool")}>
        {tools.length === 0 ? (
          <p className="text-ink-soft">No tools: it can only chat.</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {tools.map(({ name, description, policy, reads, writes }) => (
              <li key={name}>
                <span className="flex items-start justify-between gap-2">
                  <span className="flex min-w-0 flex-wrap items-center gap-1.5">
                    <Code className="break-all">{name}</Code>
                    {policy !== "auto" && <PolicyBadge policy={policy} />}
                    <FlowBadges reads={reads} writes={writes} />
                  </span>
                  <ToolPolicy tool={name} inForce={policy} draft={draft} onChange={onChange} />
                </span>
                <span className="line-clamp-2 text-xs text-ink-soft">{description}</span>
              </li>
            ))}
          </ul>
        )}
      </Part>
      {hidden.length > 0 && (
        <Part title={`${count(hidden.length, "tool")} hidden`}>
          <ul className="flex flex-col gap-2">
            {hidden.map(({ name, reason, detail }) => (
              <li key={name} className="flex gap-2">
                <EyeOff className="mt-0.5 size-4 shrink-0 text-ink-faint" aria-hidden />
                <span className="min-w-0 flex-1">
                  <Code>{name}</Code> <Badge tone="warn">{reason}</Badge>
                  <span className="block text-xs text-ink-soft">{detail}</span>
                </span>
                {draft.tool_policies[name] !== undefined && (
                  <ToolPolicy tool={name} draft={draft} onChange={onChange} />
                )}
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title="Merged prompt">
        {prompt === "" ? (
          <p className="text-ink-soft">Empty.</p>
        ) : (
          <ScrollRegion label="Merged prompt" className="max-h-80 rounded-lg bg-sunken">
            <pre className="p-3 text-xs leading-5 whitespace-pre-wrap">{prompt}</pre>
          </ScrollRegion>
        )}
      </Part>
    </>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section>
    <h3 className="mb-2 text-xs font-semibold text-ink-soft">{title}</h3>
    {children}
  </section>
);

/** Tokens of each capability per model call, as bars. */
function Prices({ preview: { capabilities } }: { preview: AgentPreview }) {
  const priced = capabilities.filter(({ excluded }) => !excluded);
  if (priced.length === 0) return null;
  const most = Math.max(1, ...priced.map(({ tokens }) => tokens.total));
  return (
    <Part title="Tokens per capability">
      <ul className="flex flex-col gap-1.5">
        {priced.map(({ id, name, tokens, required_by }) => (
          <li key={id} className="grid grid-cols-[minmax(0,9rem)_1fr_3rem] items-center gap-2">
            <span className="truncate" title={required_by ? `${name}, required by ${required_by}` : name}>
              {name}
              {required_by && (
                <span className="block truncate text-xs text-ink-faint">for {required_by}</span>
              )}
            </span>
            <span className="h-2 rounded-full bg-sunken">
              <span
                className="block h-2 rounded-full bg-accent"
                style={{ width: `${Math.max(2, (tokens.total / most) * 100)}%` }}
              />
            </span>
            <span className="numbers text-right text-xs text-ink-soft">{amount(tokens.total)}</span>
          </li>
        ))}
      </ul>
    </Part>
  );
}
