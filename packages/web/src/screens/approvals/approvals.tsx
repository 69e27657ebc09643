/** The inbox over all agents: who requests what, why, since when, until when. */
import type { Approval, ApprovalAnswer } from "@capstan/client";
import type { Result } from "@capstan/core";
import Inbox from "lucide-react/icons/inbox";
import { useRef, useState } from "react";
import { Link } from "wouter";
import { CallArguments } from "../../forms/call-arguments.tsx";
import { isObject } from "../../forms/schema-fields.ts";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { ago, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { usePendingApprovals } from "../../server/use-status.ts";
import { AlwaysAllow } from "./always-allow.tsx";
import { AnswerForm } from "./answer-form.tsx";
import { ConnectLink } from "./connect-link.tsx";
import { HeldText, MoreOfBudget } from "./own-questions.tsx";
import { useApprovalKeys } from "./use-approval-keys.ts";

type View = "pending" | "answered";

export default function Approvals() {
  const [view, setView] = useState<View>("pending");
  const waiting = usePendingApprovals().data?.items.length;
  return (
    <Screen title="Approvals" lead="Actions that need your approval.">
      <Tabs
        label="Approvals"
        tabs={[
          { name: "pending", label: waiting ? `Waiting (${waiting})` : "Waiting" },
          { name: "answered", label: "Answered" },
        ]}
        current={view}
        onChange={setView}
      >
        {view === "pending" ? <Pending /> : <Answered />}
      </Tabs>
    </Screen>
  );
}

function Pending() {
  const query = usePendingApprovals();
  const list = useRef<HTMLUListElement>(null);
  useApprovalKeys(list);
  return (
    <Loaded query={query} what="Approvals" rows={4}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={Inbox} title="All caught up">
            Tools with the policy “approve” appear here before they run.
          </Empty>
        ) : (
          <div className="flex flex-col gap-4">
            {items.length > 1 && <ApproveAll approvals={items} />}
            <ul ref={list} className="flex flex-col gap-4">
              {items.map((approval) => (
                <li key={approval.id}>
                  <PendingCard approval={approval} />
                </li>
              ))}
            </ul>
          </div>
        )
      }
    </Loaded>
  );
}

/** One answer for everything shown, with confirmation. */
function ApproveAll({ approvals }: { approvals: readonly Approval[] }) {
  const [asking, setAsking] = useState(false);
  const approve = async (): Promise<Result<unknown>> => {
    for (const { id } of approvals) {
      const answered = await api.approvals.answer(id, { decision: "approve" });
      if (!answered.ok) return answered;
    }
    return { ok: true, value: undefined };
  };
  return (
    <div className="flex flex-wrap items-center gap-3 text-xs text-ink-soft">
      <Button size="sm" onClick={() => setAsking(true)}>
        Approve all {approvals.length}
      </Button>
      Keys: j and k move, a approves, e edits, d denies.
      {asking && (
        <ConfirmDialog
          title={`Approve ${approvals.length} calls?`}
          action="Approve all"
          change={approve}
          refreshes={["approvals", "status"]}
          onClose={() => setAsking(false)}
        >
          {approvals.map(({ tool }) => tool).join(", ")}
        </ConfirmDialog>
      )}
    </div>
  );
}

function PendingCard({ approval }: { approval: Approval }) {
  const { id, reason, asked, kind } = approval;
  const answer = useChange((body: ApprovalAnswer) => api.approvals.answer(id, body), ["approvals", "status"]);
  return (
    <article
      data-approval={id}
      tabIndex={-1}
      className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-4"
    >
      <CardHeader approval={approval} />
      {asked && (
        <blockquote className="line-clamp-3 border-l-2 border-line-strong pl-3 text-ink-soft">
          {asked}
        </blockquote>
      )}
      {reason && <p className="text-ink-soft">{reason}</p>}
      {kind === "connect" && <ConnectLink id={id} />}
      <Question approval={approval} busy={answer.isPending} onAnswer={(body) => answer.mutate(body)} />
      <ChangeFailure error={answer.error} />
    </article>
  );
}

function Question(question: {
  approval: Approval;
  busy: boolean;
  onAnswer: (answer: ApprovalAnswer) => void;
}) {
  const { approval, onAnswer } = question;
  const { tool, input, input_schema, kind, allowable } = approval;
  if (kind === "budget" && tool === "spend_more") return <MoreOfBudget {...question} />;
  if (kind === "text") return <HeldText {...question} />;
  return (
    <AnswerForm
      name={tool}
      input={isObject(input) ? input : {}}
      schema={input_schema ?? undefined}
      mayApprove={kind !== "connect"}
      mayEdit={kind !== "connect"}
      mayAllow={allowable}
      busy={question.busy}
      onAnswer={onAnswer}
      more={
        kind === "tool" && (
          <AlwaysAllow approval={approval} onSaved={() => onAnswer({ decision: "approve" })} />
        )
      }
    />
  );
}

/** The question, if it is not about a tool call. */
const HEADINGS: Readonly<Record<string, string>> = {
  budget: "needs more of a budget",
  text: "wants to say something",
};

function CardHeader({ approval }: { approval: Approval }) {
  const { agent_name, tool, kind, requested_by, created_at, expires_at } = approval;
  const { session_id, session_title, capability_id } = approval;
  return (
    <header className="flex flex-wrap items-start justify-between gap-2">
      <div className="min-w-0">
        <h2 className="flex flex-wrap items-center gap-2 font-semibold">
          {agent_name ?? "An agent"}{" "}
          {HEADINGS[kind] ?? (
            <>
              wants to run <Code>{tool}</Code>
            </>
          )}
          {kind !== "tool" && <Badge tone="thought">{kind}</Badge>}
        </h2>
        <p className="text-xs text-ink-faint">
          for {requested_by}
          {HEADINGS[kind] === undefined && `, from ${capability_id}`}
          {session_id && (
            <>
              {", in "}
              <Link href={`/chat/${session_id}`} className="text-accent-ink underline">
                {session_title ? `“${session_title}”` : "this conversation"}
              </Link>
            </>
          )}
        </p>
      </div>
      <p className="text-right text-xs text-ink-faint" title={dateTime(created_at)}>
        requested {ago(created_at)}
        {expires_at && <span className="block text-warn">expires {ago(expires_at)}</span>}
      </p>
    </header>
  );
}

const TONES: Record<string, Tone> = { approved: "good", denied: "bad", expired: "warn", cancelled: "plain" };

function Answered() {
  const { query, more } = usePages(["approvals", "all"], (page, signal) => api.approvals.list(page, signal));
  return (
    <Loaded query={query} what="Approvals" rows={4}>
      {(items) => {
        const answered = items.filter(({ status }) => status !== "pending");
        if (answered.length === 0 && !more) return <Empty icon={Inbox} title="No answered approvals yet" />;
        return (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {answered.map((approval) => (
                <li key={approval.id}>
                  <AnsweredRow approval={approval} />
                </li>
              ))}
            </ul>
            {more}
          </div>
        );
      }}
    </Loaded>
  );
}

function AnsweredRow({ approval }: { approval: Approval }) {
  const { tool, status, agent_name, answered_by, answered_at, answer, input } = approval;
  const edited = answer?.edited_args;
  return (
    <details>
      <summary className="flex flex-wrap items-center gap-2 px-4 py-3 -outline-offset-2 hover:bg-sunken">
        <Badge tone={TONES[status] ?? "plain"}>{status}</Badge>
        <Code>{tool}</Code>
        <span className="min-w-0 flex-1 truncate text-ink-soft">{agent_name}</span>
        <span className="text-xs text-ink-faint">
          {answered_by} {answered_at && ago(answered_at)}
        </span>
      </summary>
      <div className="flex flex-col gap-2 px-4 pb-4">
        {answer?.words && <p>“{answer.words}”</p>}
        <CallArguments value={edited ?? input} label={edited ? "Edited arguments" : "Arguments"} />
      </div>
    </details>
  );
}
