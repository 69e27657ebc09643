/** All details of one row of a trace: input, output, reason, person, duration, cost. */
import type { Message, TraceSpan } from "@capstan/client";
import { type ReactNode, useState } from "react";
import { CallArguments } from "../../forms/call-arguments.tsx";
import { MessageList } from "../../forms/message-list.tsx";
import { MessageParts } from "../../forms/message-parts.tsx";
import { Badge } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { FailureNote, Loaded } from "../../kit/states.tsx";
import { amount, dateTime, duration, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { costOf, tokensOf } from "./trace-facts.ts";

interface SpanDetailProps {
  runId: string;
  sessionId: string;
  span: TraceSpan;
}

export function SpanDetail({ runId, sessionId, span }: SpanDetailProps) {
  return (
    <div className="my-1 flex flex-col gap-3 rounded-lg border border-line bg-canvas p-3">
      <Figures span={span} />
      {span.error && <FailureNote failure={{ ...span.error, status: 500 }} />}
      {span.retries && span.retries.length > 0 && (
        <Part title="Retries">
          <ol className="list-decimal pl-5 text-ink-soft">
            {span.retries.map((reason, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same reason may come twice
              <li key={index}>{reason}</li>
            ))}
          </ol>
        </Part>
      )}
      {span.kind === "model" && <Prompt runId={runId} sessionId={sessionId} span={span} />}
      {span.kind !== "model" && <Value title="Arguments" value={span.input} />}
      {span.edited_input !== undefined && <Value title="Edited arguments" value={span.edited_input} />}
      {span.output !== undefined && span.kind === "model" && (
        <Part title="Answer">
          <MessageParts value={span.output} label="Answer" />
        </Part>
      )}
      {span.output !== undefined && span.kind !== "model" && <Value title="Result" value={span.output} />}
    </div>
  );
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section aria-label={title}>
    <h4 className="mb-1 text-xs font-semibold text-ink-soft">{title}</h4>
    {children}
  </section>
);

const Value = ({ title, value }: { title: string; value: unknown }) => (
  <Part title={title}>
    <CallArguments value={value} label={title} />
  </Part>
);

function Figures({ span }: { span: TraceSpan }) {
  const facts = figuresOf(span).filter(([, value]) => value !== "");
  return (
    <div className="flex items-start gap-2">
      <dl className="flex min-w-0 flex-1 flex-wrap gap-x-6 gap-y-1">
        {facts.map(([label, value]) => (
          <div key={label} className="flex gap-2">
            <dt className="text-ink-faint">{label}</dt>
            <dd className="numbers">{value}</dd>
          </div>
        ))}
      </dl>
      <CopyButton text={() => location.href} label="Copy link to this row" />
    </div>
  );
}

function figuresOf(span: TraceSpan): [label: string, value: string][] {
  const { input, output } = tokensOf(span);
  const cost = costOf(span);
  const waited = span.kind === "gate" ? "Waited" : "Took";
  return [
    ["Started", dateTime(span.started_at)],
    [waited, duration(span.duration_ms)],
    ["First token", span.first_token_ms === undefined ? "" : `after ${duration(span.first_token_ms)}`],
    ["Tokens", input + output > 0 ? `${amount(input)} in, ${amount(output)} out` : ""],
    ["Cost", cost > 0 ? usd(cost) : ""],
    ["Attempts", span.attempts !== undefined && span.attempts > 1 ? String(span.attempts) : ""],
    ["Capability", span.capability_id ?? ""],
    ["Decision", span.decision ?? ""],
    ["By", span.decided_by ?? ""],
    ["Why it asked", span.kind === "gate" ? (span.reason ?? "") : ""],
    ["Reason given", span.words ?? ""],
  ];
}

/** The model's input: the system prompt and tools as sent, and the earlier messages. */
function Prompt({ runId, sessionId, span }: SpanDetailProps) {
  const [open, setOpen] = useState(false);
  if (span.prompt_id === undefined) return null;
  if (!open)
    return (
      <Button size="sm" className="self-start" onClick={() => setOpen(true)}>
        Show prompt as sent
      </Button>
    );
  return <SentPrompt runId={runId} sessionId={sessionId} span={span} promptId={span.prompt_id} />;
}

function SentPrompt({ runId, sessionId, span, promptId }: SpanDetailProps & { promptId: string }) {
  const prompt = useRead(["prompt", runId, promptId], (signal) => api.runs.prompt(runId, promptId, signal));
  const messages = useRead(["messages", sessionId], (signal) =>
    api.sessions.messages(sessionId, { limit: 500 }, signal),
  );
  return (
    <>
      <Loaded query={prompt} what="Prompts" rows={3}>
        {({ system_prompt, tools }) => (
          <>
            <Value title="System prompt" value={system_prompt || "(empty)"} />
            <Part title={`Tools offered (${tools.length})`}>
              <p className="flex flex-wrap gap-1">
                {tools.map(({ name, description }) => (
                  <Badge key={name} title={description}>
                    {name}
                  </Badge>
                ))}
              </p>
            </Part>
          </>
        )}
      </Loaded>
      <Loaded query={messages} what="Messages" rows={3}>
        {({ items }) => (
          <Part title="Messages">
            <MessageList messages={messagesBefore(items, span)} label="Messages" />
          </Part>
        )}
      </Loaded>
    </>
  );
}

function messagesBefore(items: readonly Message[], { id, sent_messages }: TraceSpan) {
  const end = items.findIndex((message) => message.id === id);
  const before = items
    .slice(0, end < 0 ? undefined : end)
    .map(({ id: each, role, content }) => ({ id: each, role, content }));
  return sent_messages === undefined ? before : before.slice(-sent_messages);
}
