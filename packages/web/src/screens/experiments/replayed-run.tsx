/** A recorded run beside its replay: answers, calls, what the gate decided, and both conversations. */
import type { ReplayedRun } from "@capstan/client";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { MessageList } from "../../forms/message-list.tsx";
import { ArgumentList, OrJson } from "../../forms/message-parts.tsx";
import { Badge, Code } from "../../kit/badge.tsx";
import { LinkButton } from "../../kit/button.tsx";
import { cx } from "../../kit/cx.ts";
import { Panel } from "../../kit/panel.tsx";
import { FailureNote, Loaded } from "../../kit/states.tsx";
import { amount, duration, usd, words } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { numbered } from "./numbered.ts";
import { VERDICT_TONES } from "./replay-view.tsx";

export function ReplayedRunView({ id, runId }: { id: string; runId: string }) {
  const query = useRead(["replays", id, runId], (signal) => api.replays.ofRun(id, runId, signal));
  return (
    <div className="flex flex-col gap-4">
      <Link href={`/experiments/replays/${id}`} className="self-start text-sm text-accent-ink underline">
        Back to the replay
      </Link>
      <Loaded query={query} what="Replays" rows={6}>
        {(run) => <Comparison run={run} />}
      </Loaded>
    </div>
  );
}

function Comparison({ run }: { run: ReplayedRun }) {
  const { verdict, status, failure, diverged, session_id, calls, gate, not_as_recorded } = run;
  return (
    <article aria-label="Recorded run and replay" className="flex flex-col gap-4">
      <Panel
        title="Recorded and replayed"
        actions={
          <LinkButton size="sm" href={`/sessions/${session_id}/trace`}>
            Recorded session
          </LinkButton>
        }
      >
        <div className="flex flex-col gap-3 text-sm">
          <p>
            <Badge tone={VERDICT_TONES[verdict ?? ""] ?? "plain"}>{verdict ?? status}</Badge>
          </p>
          {failure && <FailureNote failure={{ ...failure, status: 500 }} />}
          {diverged && (
            <p className="break-words text-warn">
              The replay ended at {diverged.tool}: {diverged.why}
            </p>
          )}
          {not_as_recorded.map(({ capability, why }) => (
            <p key={`${capability} ${why}`} className="break-words text-warn">
              Not as recorded{capability !== null && <>: {capability}</>}. {why}
            </p>
          ))}
          <Figures run={run} />
        </div>
      </Panel>
      {calls.length > 0 && <Calls calls={calls} />}
      {gate.length > 0 && (
        <Panel title="Different gate decisions">
          <ul className="flex flex-col gap-1 text-sm">
            {numbered(gate).map(({ at, item: { tool, before, after, why } }) => (
              <li key={at} className="break-words">
                <Code>{tool}</Code> {before ?? "not called"} → {after}: {why}
              </li>
            ))}
          </ul>
        </Panel>
      )}
      <SideBySide>
        <Conversation title="Recorded" messages={run.before} />
        <Conversation title="Replayed" messages={run.after} />
      </SideBySide>
    </article>
  );
}

const SideBySide = ({ children }: { children: ReactNode }) => (
  <div className="grid items-start gap-4 md:grid-cols-2">{children}</div>
);

function Figures({ run: { answer, outcome, tokens, cost_usd, model_ms } }: { run: ReplayedRun }) {
  const rows = [
    ["Ended", outcome?.before, outcome?.after],
    ["Tokens", tokens && amount(tokens.before), tokens && amount(tokens.after)],
    ["Cost", cost_usd && usd(cost_usd.before), cost_usd && usd(cost_usd.after)],
    ["Model time", model_ms && duration(model_ms.before), model_ms && duration(model_ms.after)],
    ["Answer", answer?.before, answer?.after],
  ] as const;
  return (
    <table className="w-full table-fixed text-left">
      <thead>
        <tr className="text-xs text-ink-soft">
          <th scope="col" className="w-24 py-1 font-semibold">
            Figure
          </th>
          <th scope="col" className="py-1 pr-3 font-semibold">
            Recorded
          </th>
          <th scope="col" className="py-1 font-semibold">
            Replayed
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, before, after]) => (
          <tr key={name} className="border-t border-line align-top">
            <th scope="row" className="py-1 font-normal text-ink-soft">
              {name}
            </th>
            <td className="py-1 pr-3 break-words whitespace-pre-wrap">{before || "none"}</td>
            <td className={cx("py-1 break-words whitespace-pre-wrap", before !== after && "font-medium")}>
              {after || "none"}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Calls({ calls }: Pick<ReplayedRun, "calls">) {
  return (
    <Panel title="Calls" flush>
      <ol className="flex flex-col divide-y divide-line">
        {numbered(calls).map(({ at, item: { change, tool, before, after, source } }) => (
          <li key={at} className="flex flex-col gap-1 px-4 py-2 text-sm">
            <p className="flex flex-wrap items-center gap-2">
              <Badge tone={change === "same" ? "plain" : "warn"}>{words(change)}</Badge>
              <Code>{tool}</Code>
              {source && (
                <span className="text-xs text-ink-faint">result: {words(source).toLowerCase()}</span>
              )}
            </p>
            <OrJson value={{ recorded: before, replayed: after }} label={`Call ${at + 1}`}>
              <SideBySide>
                <Arguments side="Recorded" tool={tool} value={before} />
                <Arguments side="Replayed" tool={tool} value={after} />
              </SideBySide>
            </OrJson>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

const Arguments = ({ side, tool, value }: { side: string; tool: string; value: unknown }) => (
  <div className="min-w-0">
    <p className="text-xs text-ink-faint">{side}</p>
    {value === null ? (
      <p className="text-ink-soft">not called</p>
    ) : (
      <ArgumentList input={value} label={`${side} arguments of ${tool}`} />
    )}
  </div>
);

function Conversation({ title, messages }: { title: string; messages: ReplayedRun["before"] }) {
  return (
    <Panel title={title}>
      <MessageList messages={messages} label={title} />
    </Panel>
  );
}
