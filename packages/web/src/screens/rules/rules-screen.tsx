/** Rules as sentences: list, write, simulate on past calls, and remove. */
import type { Rule } from "@capstan/client";
import { DEFAULT_RULES, ruleSentence } from "@capstan/core/internal";
import Scale from "lucide-react/icons/scale";
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
import { RuleEditor } from "./rule-editor.tsx";

const TONES: Record<Rule["then"], Tone> = { allow: "good", ask: "accent", deny: "bad", limit: "warn" };

export default function RulesScreen() {
  const query = useRead(["rules", "list"], (signal) => api.rules.all({}, signal));
  const [editing, setEditing] = useState<Rule | "new">();
  const saved = query.data ?? [];
  return (
    <Screen
      title="Rules"
      lead="Allow, deny or require approval for calls. Deny beats ask, ask beats allow; without a rule, the tool's own policy applies."
      actions={
        <Button look="primary" onClick={() => setEditing("new")}>
          New rule
        </Button>
      }
    >
      <Loaded query={query} what="Rules" rows={4}>
        {(items) => (
          <>
            {items.length === 0 ? (
              <Empty icon={Scale} title="No rules of your own">
                “When send_mail goes to someone outside example.com, ask.” Start with New rule, or with
                “Always allow like this” on an approval.
              </Empty>
            ) : (
              <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
                {items.map((rule) => (
                  <li key={rule.id}>
                    <RuleRow rule={rule} onEdit={() => setEditing(rule)} />
                  </li>
                ))}
              </ul>
            )}
            <Defaults />
          </>
        )}
      </Loaded>
      {editing !== undefined && (
        <RuleEditor
          saved={saved}
          rule={editing === "new" ? undefined : editing}
          onClose={() => setEditing(undefined)}
        />
      )}
    </Screen>
  );
}

function RuleRow({ rule, onEdit }: { rule: Rule; onEdit: () => void }) {
  const [removing, setRemoving] = useState(false);
  const agents = useAgents().data?.items ?? [];
  const agent = agents.find(({ id }) => id === rule.agent_id)?.name;
  const isOver = rule.expires_at !== null && new Date(rule.expires_at) < new Date();
  return (
    <article aria-label={rule.name} className="flex flex-wrap items-start gap-3 px-4 py-3">
      <Badge tone={TONES[rule.then]}>{rule.then}</Badge>
      <div className="min-w-0 flex-1">
        <p className="font-medium">{rule.sentence}</p>
        <p className="text-xs text-ink-faint">
          {rule.name !== rule.sentence && `${rule.name}, `}
          {rule.user !== null && `for calls of ${rule.user}, `}
          {rule.agent_id === null ? "for every agent" : `for ${agent ?? rule.agent_id}`}, by {rule.created_by}{" "}
          <span title={dateTime(rule.updated_at)}>{ago(rule.updated_at)}</span>
          {rule.expires_at && (isOver ? ", expired" : `, ends ${ago(rule.expires_at)}`)}
        </p>
        {rule.words && <p className="mt-1 text-ink-soft">“{rule.words}”</p>}
      </div>
      <Button size="sm" aria-label={`Change ${rule.name}`} onClick={onEdit}>
        Change
      </Button>
      <Button size="sm" look="danger" aria-label={`Delete ${rule.name}`} onClick={() => setRemoving(true)}>
        Delete
      </Button>
      {removing && (
        <ConfirmDialog
          title="Delete this rule?"
          action="Delete"
          change={() => api.rules.remove(rule.id)}
          refreshes={["rules"]}
          onClose={() => setRemoving(false)}
        >
          {rule.sentence} It stops applying immediately.
        </ConfirmDialog>
      )}
    </article>
  );
}

const Defaults = () => (
  <details className="text-sm">
    <summary className="text-ink-soft">Default rules after untrusted or private content</summary>
    <ul className="mt-2 flex flex-col gap-2">
      {DEFAULT_RULES.map((rule) => (
        <li key={rule.id} className="flex gap-2">
          <Badge tone={TONES[rule.effect]}>{rule.effect}</Badge>
          {ruleSentence(rule)}
        </li>
      ))}
      <li className="text-ink-faint">Your own rule for the same data replaces the default.</li>
    </ul>
  </details>
);
