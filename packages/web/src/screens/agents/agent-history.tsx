/**
 * /agents/{id}/history: every revision of an agent, its changes, which are live, draft and canary, and their results.
 */
import type { AgentLabel, RevisionSummary } from "@capstan/client";
import { useState } from "react";
import { useParams } from "wouter";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { ConfirmDialog, type ConfirmedAction } from "../../kit/confirm-dialog.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Screen } from "../../kit/screen.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { ago, dateTime, duration, usd } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useAgent } from "../../server/reads.ts";
import { RevisionDiffView } from "./revision-diff.tsx";

const TONES: Record<AgentLabel["label"], Tone> = { live: "good", canary: "warn", draft: "plain" };
const CELL = "px-4 py-2";

export default function AgentHistory() {
  const { id = "" } = useParams<{ id: string }>();
  const agent = useAgent(id);
  const revisions = useRead(["agents", id, "revisions"], (signal) => api.agents.revisions(id, signal));
  const labels = useRead(["agents", id, "labels"], (signal) => api.agents.labels(id, signal));
  return (
    <Screen
      wide
      title={agent.data ? `History of ${agent.data.name}` : "History"}
      lead="Every save creates a revision. New sessions use the live one; a share of them can use the canary."
      actions={<LinkButton href={`/agents/${id}`}>Edit</LinkButton>}
    >
      {labels.data && <Figures id={id} labels={labels.data.items} />}
      <Panel title="Revisions" flush>
        <Loaded query={revisions} what="Revisions" rows={4}>
          {(items) => (
            <ul className="flex flex-col divide-y divide-line">
              {items.map((revision) => (
                <li key={revision.number}>
                  <RevisionRow id={id} revision={revision} others={items} labels={labels.data?.items ?? []} />
                </li>
              ))}
            </ul>
          )}
        </Loaded>
      </Panel>
    </Screen>
  );
}

/** The labelled revisions side by side. */
function Figures({ id, labels }: { id: string; labels: readonly AgentLabel[] }) {
  const end = useChange(() => api.agents.label(id, { label: "canary", revision: null }), ["agents"]);
  const row = (name: string, text: (label: AgentLabel) => string | number) => (
    <tr key={name}>
      <th className={`${CELL} font-medium`}>{name}</th>
      {labels.map((label) => (
        <td key={label.label} className={CELL}>
          {text(label)}
        </td>
      ))}
    </tr>
  );
  const hasCanary = labels.some(({ label }) => label === "canary");
  return (
    <Panel
      title="Side by side"
      flush
      actions={
        hasCanary && (
          <Button size="sm" busy={end.isPending} doing="Ending…" onClick={() => end.mutate(undefined)}>
            End the canary
          </Button>
        )
      }
    >
      <ScrollRegion label="Labels side by side" className="rounded-b-xl">
        <table className="numbers w-full text-left text-sm whitespace-nowrap">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line">
              <th className={`${CELL} font-medium`}>Label</th>
              {labels.map(({ label, revision }) => (
                <th key={label} className={`${CELL} font-medium`}>
                  {label}, revision {revision}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {row("Share of new sessions", ({ share }) => `${share} %`)}
            {row("Sessions", ({ figures }) => figures.sessions)}
            {row("Runs done / failed", ({ figures }) => `${figures.done} / ${figures.failed}`)}
            {row("Thumbs up / down", ({ figures }) => `${figures.thumbs_up} / ${figures.thumbs_down}`)}
            {row("Cost", ({ figures }) => usd(figures.cost_usd))}
            {row("Mean time", ({ figures }) => (figures.mean_ms === null ? "–" : duration(figures.mean_ms)))}
          </tbody>
        </table>
      </ScrollRegion>
      <ChangeFailure error={end.error} />
    </Panel>
  );
}

interface RevisionRowProps {
  id: string;
  revision: RevisionSummary;
  others: readonly RevisionSummary[];
  labels: readonly AgentLabel[];
}

type Asked = "live" | "canary" | "restore";

function RevisionRow({ id, revision, others, labels }: RevisionRowProps) {
  const { number, by, at, why } = revision;
  const [isOpen, setOpen] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const own = labels.filter((label) => label.revision === number).map(({ label }) => label);
  const isLive = own.includes("live");
  return (
    <article aria-label={`Revision ${number}`} className="flex flex-col gap-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="font-medium">Revision {number}</span>
        {own.map((label) => (
          <Badge key={label} tone={TONES[label]}>
            {label}
          </Badge>
        ))}
        <span className="w-full min-w-0 text-xs break-words text-ink-faint md:w-auto md:flex-1">
          {why && `${why}, `}by {by} <span title={dateTime(at)}>{ago(at)}</span>
        </span>
        <Button size="sm" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Compare
        </Button>
        {!isLive && (
          <>
            <Button size="sm" onClick={() => setAsked("canary")}>
              Canary
            </Button>
            <Button size="sm" onClick={() => setAsked("restore")}>
              Restore
            </Button>
            <Button size="sm" look="primary" onClick={() => setAsked("live")}>
              Make live
            </Button>
          </>
        )}
      </div>
      {isOpen && <RevisionDiffView id={id} number={number} others={others} />}
      {asked && <AskDialog id={id} number={number} asked={asked} onClose={() => setAsked(undefined)} />}
    </article>
  );
}

const QUESTIONS: Record<Asked, readonly [title: string, action: ConfirmedAction, text: string]> = {
  live: ["Make it live?", "Make live", "New sessions use it from now on. The change is in the audit log."],
  canary: [
    "Try it on a share of sessions?",
    "Start canary",
    "One in ten new sessions uses it; compare its figures with the live revision's.",
  ],
  restore: ["Restore it?", "Restore", "It is saved as a new revision and made live."],
};

interface AskDialogProps {
  id: string;
  number: number;
  asked: Asked;
  onClose: () => void;
}

/** A change that adds rights is first refused and lists them; the second click confirms them. */
function AskDialog({ id, number, asked, onClose }: AskDialogProps) {
  const [title, action, text] = QUESTIONS[asked];
  return (
    <ConfirmDialog
      title={title}
      action={action}
      mayForce
      change={({ force: yes }) =>
        asked === "restore"
          ? api.agents.restore(id, number, { yes })
          : api.agents.label(id, { label: asked, revision: number, yes })
      }
      refreshes={["agents"]}
      onClose={onClose}
    >
      Revision {number}. {text}
    </ConfirmDialog>
  );
}
