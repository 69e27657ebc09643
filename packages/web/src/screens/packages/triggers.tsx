import type { TriggerInfo } from "@capstan/client";
import Zap from "lucide-react/icons/zap";
import { useState } from "react";
import { Link } from "wouter";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { ChangeFailure, Empty, Loaded } from "../../kit/states.tsx";
import { ago, count } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

const REFRESH_MS = 3_000;
const STATUSES: TriggerInfo["status"][] = [
  "pending",
  "processing",
  "done",
  "failed",
  "deduped",
  "dropped",
  "invalid",
];
const TONES: Record<string, Tone> = {
  pending: "accent",
  processing: "accent",
  done: "good",
  failed: "bad",
  invalid: "bad",
};
const RETRIED = new Set(["failed", "pending"]);
const DROPPED = new Set(["failed", "pending", "invalid"]);

export function Triggers() {
  const [status, setStatus] = useState("");
  const query = useRead(
    ["triggers", status],
    (signal) => api.triggers.list({ status: STATUSES.find((each) => each === status) }, signal),
    { everyMs: REFRESH_MS, keepPrevious: true },
  );
  return (
    <div className="flex flex-col gap-4">
      <Field label="Status" className="w-40">
        {(control) => (
          <Select {...control} value={status} onChange={({ target }) => setStatus(target.value)}>
            <option value="">All</option>
            {STATUSES.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
        )}
      </Field>
      <Loaded query={query} what="Triggers" rows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty icon={Zap} title="No triggers">
              Services and schedules send triggers. Each one starts a session.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((trigger) => (
                <li key={trigger.id}>
                  <TriggerRow trigger={trigger} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <p className="text-ink-soft">
        Scheduled triggers are on their own page:{" "}
        <Link href="/schedules" className="text-accent-ink underline">
          Schedules
        </Link>
        .
      </p>
    </div>
  );
}

function TriggerRow({ trigger }: { trigger: TriggerInfo }) {
  const { id, type, user, capability, status, attempts, reason, session_id, created_at } = trigger;
  const { not_before, channel, delivered } = trigger;
  const retry = useChange(() => api.triggers.retry(id), ["triggers"]);
  const drop = useChange(() => api.triggers.drop(id), ["triggers"]);
  return (
    <div className="flex flex-wrap items-center gap-3 p-4">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <Badge tone={TONES[status] ?? "plain"}>{status}</Badge>
          <Code>{type ?? "unreadable"}</Code>
          <span className="text-ink-soft">
            {user && `for ${user} `}from {capability}
          </span>
          {delivered === false && <Badge tone="warn">not delivered{channel && ` to ${channel}`}</Badge>}
        </p>
        <p className="text-xs text-ink-faint">
          {[
            created_at && ago(created_at),
            attempts > 0 && count(attempts, "attempt"),
            not_before && status === "pending" && `retry ${ago(not_before)}`,
            reason,
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
        <ChangeFailure error={retry.error ?? drop.error} />
      </div>
      {session_id && (
        <Link href={`/chat/${session_id}`} className="text-xs text-accent-ink underline">
          Open session
        </Link>
      )}
      {RETRIED.has(status) && (
        <Button size="sm" busy={retry.isPending} doing="Retrying…" onClick={() => retry.mutate(undefined)}>
          Retry
        </Button>
      )}
      {DROPPED.has(status) && (
        <Button
          size="sm"
          look="danger"
          busy={drop.isPending}
          doing="Dropping…"
          onClick={() => drop.mutate(undefined)}
        >
          Drop
        </Button>
      )}
    </div>
  );
}
