/** "Always allow like this": the narrowest rule that allows a call, what else it would have covered, saved with an expiry. */
import type { Approval, RuleProposal } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { TextField } from "../../kit/field.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { CallList } from "../rules/rule-trial.tsx";

export function AlwaysAllow({ approval, onSaved }: { approval: Approval; onSaved: () => void }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        Always allow like this…
      </Button>
      {open && <Proposal approval={approval} onSaved={onSaved} onClose={() => setOpen(false)} />}
    </>
  );
}

interface ProposalProps {
  approval: Approval;
  onSaved: () => void;
  onClose: () => void;
}

function Proposal({ approval, onSaved, onClose }: ProposalProps) {
  const query = useRead(["rules", "proposal", approval.id], (signal) =>
    api.rules.propose(approval.id, signal),
  );
  const [expires, setExpires] = useState<string>();
  const save = useChange(
    async ({ rule }: RuleProposal) => {
      const expires_at =
        expires === undefined
          ? (rule.expires_at ?? null)
          : expires === ""
            ? null
            : new Date(`${expires}T23:59:59Z`).toISOString();
      const saved = await api.rules.create({ ...rule, expires_at });
      if (!saved.ok) return saved;
      onClose();
      onSaved();
      return saved;
    },
    ["rules", "approvals"],
  );
  return (
    <Dialog
      wide
      title="Always allow like this"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={save.isPending}
            doing="Saving…"
            disabled={!query.data}
            onClick={() => query.data && save.mutate(query.data)}
          >
            Save the rule and approve
          </Button>
        </>
      }
    >
      <Loaded query={query} what="Proposals">
        {(proposal) => (
          <div className="flex flex-col gap-4">
            <p className="rounded-lg bg-accent-soft p-3 font-medium text-accent-ink">{proposal.sentence}</p>
            {proposal.open.length > 0 && (
              <p className="text-warn">Not restricted: {proposal.open.join(", ")}. Any value is allowed.</p>
            )}
            <TextField
              label="Ends after"
              hint="Empty: never."
              type="date"
              value={expires ?? proposal.rule.expires_at?.slice(0, 10) ?? ""}
              onChange={setExpires}
            />
            <section aria-label="What else it covers">
              {proposal.covers.length === 0 ? (
                <p className="text-ink-soft">No other call of the last 30 days.</p>
              ) : (
                <CallList calls={proposal.covers} label="calls of the last 30 days it covers" tone="plain" />
              )}
            </section>
            <ChangeFailure error={save.error} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}
