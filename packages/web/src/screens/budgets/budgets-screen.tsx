/** Budgets: limits, spending and a forecast. */
import type { Budget, BudgetSpending } from "@capstan/client";
import { amountText } from "@capstan/core/internal";
import Wallet from "lucide-react/icons/wallet";
import { useState } from "react";
import { Badge, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { ConfirmDialog } from "../../kit/confirm-dialog.tsx";
import { Screen } from "../../kit/screen.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { ago, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";
import { BudgetEditor } from "./budget-editor.tsx";

export default function BudgetsScreen() {
  const query = useRead(["budgets", "list"], (signal) => api.budgets.all({}, signal));
  const [editing, setEditing] = useState<Budget | "new">();
  return (
    <Screen
      title="Budgets"
      lead="Limits on US dollars, tokens or calls per period. At the limit, a run waits for approval or for the next period, or is refused."
      actions={
        <Button look="primary" onClick={() => setEditing("new")}>
          New budget
        </Button>
      }
    >
      <Loaded query={query} what="Budgets" rows={4}>
        {(items) =>
          items.length === 0 ? (
            <Empty icon={Wallet} title="No budgets">
              Only each agent's own limits apply. A budget counts across days, agents and servers.
            </Empty>
          ) : (
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((budget) => (
                <li key={budget.id}>
                  <BudgetRow budget={budget} onEdit={() => setEditing(budget)} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {editing !== undefined && (
        <BudgetEditor
          budget={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Screen>
  );
}

function BudgetRow({ budget, onEdit }: { budget: Budget; onEdit: () => void }) {
  const [removing, setRemoving] = useState(false);
  const { name, sentence, spending, period_end } = budget;
  return (
    <article aria-label={name} className="flex flex-wrap items-start gap-3 px-4 py-3">
      <div className="flex min-w-0 flex-1 flex-col gap-2">
        <div>
          <p className="font-medium">{name}</p>
          <p className="text-xs text-ink-faint">
            {sentence}. This period ends <span title={dateTime(period_end)}>{ago(period_end)}</span>
            {budget.webhook && `; ${new URL(budget.webhook.url).host} receives alerts`}.
          </p>
        </div>
        {spending.length === 0 && <p className="text-sm text-ink-soft">Nothing spent yet.</p>}
        {spending.map((share) => (
          <Share key={share.subject} budget={budget} share={share} />
        ))}
      </div>
      <Button size="sm" aria-label={`Change ${name}`} onClick={onEdit}>
        Change
      </Button>
      <Button size="sm" look="danger" aria-label={`Delete ${name}`} onClick={() => setRemoving(true)}>
        Delete
      </Button>
      {removing && (
        <ConfirmDialog
          title="Delete this budget?"
          action="Delete"
          change={() => api.budgets.remove(budget.id)}
          refreshes={["budgets"]}
          onClose={() => setRemoving(false)}
        >
          {sentence}. It stops applying immediately, and its count is lost.
        </ConfirmDialog>
      )}
    </article>
  );
}

const TONES: Readonly<Record<number, Tone>> = { 50: "accent", 80: "warn", 100: "bad" };

/** What one user or agent, or all together, have spent. */
function Share({ budget: { measure, limit }, share }: { budget: Budget; share: BudgetSpending }) {
  const agents = useAgents().data?.items ?? [];
  const { subject, spent, reserved, extra, percent, alert, forecast } = share;
  const who = agents.find(({ id }) => id === subject)?.name ?? (subject || "All together");
  const text = (amount: number) => amountText(measure, amount);
  return (
    <div className="flex flex-col gap-1 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-ink-soft">{who}</span>
        <span>
          {text(spent)} of {text(limit + extra)}
        </span>
        {alert !== null && <Badge tone={TONES[alert] ?? "plain"}>{alert} % reached</Badge>}
        {reserved > 0 && <span className="text-xs text-ink-faint">{text(reserved)} reserved</span>}
        {extra > 0 && <span className="text-xs text-ink-faint">{text(extra)} allowed above the limit</span>}
      </p>
      <progress
        className="h-2 w-full"
        aria-label={`${who}: ${Math.round(percent)} percent`}
        max={100}
        value={Math.min(100, percent)}
      />
      <p className="text-xs text-ink-faint">
        {forecast ? `At this pace ${text(forecast.amount)} by the end` : "Too early for a forecast"}
        {forecast?.reached_at && (
          <span title={dateTime(forecast.reached_at)}>, the limit is reached {ago(forecast.reached_at)}</span>
        )}
        .
      </p>
    </div>
  );
}
