import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, Select, TextInput } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";
import { isScorerReady, ScorerChoice, type ScorerDraft, specOf } from "./scorer-choice.tsx";

const KINDS = ["judge", "contains", "no_leak", "refusal"] as const;

/** A monitor of one scorer; more of them, and webhooks, are for the command line and the API. */
export function NewMonitor({ onClose }: { onClose: () => void }) {
  const agents = useAgents().data?.items ?? [];
  const [agentId, setAgentId] = useState<string>();
  const [name, setName] = useState("");
  const [scorer, setScorer] = useState<ScorerDraft>({ type: "judge", text: "" });
  const [share, setShare] = useState("10");
  const [budget, setBudget] = useState("1");
  const agent = agentId ?? agents[0]?.id;
  const save = useChange(async () => {
    const made = await api.monitors.create({
      name: name.trim(),
      agent_id: agent ?? "",
      scorers: [specOf(scorer)],
      share: Number(share),
      budget_usd: budget.trim() === "" ? null : Number(budget),
    });
    if (made.ok) onClose();
    return made;
  }, ["monitors"]);
  const needsText = scorer.type === "contains" && scorer.text.trim() === "";
  const isReady = name.trim() !== "" && agent !== undefined && isScorerReady(scorer) && !needsText;
  return (
    <Dialog
      wide
      title="New monitor"
      onClose={onClose}
      footer={
        <Button
          look="primary"
          busy={save.isPending}
          doing="Starting…"
          disabled={!isReady}
          onClick={() => save.mutate(undefined)}
        >
          Start
        </Button>
      }
    >
      <div className="grid gap-3 md:grid-cols-2">
        <Text label="Name" value={name} onChange={setName} />
        <Field label="Agent">
          {(control) => (
            <Select {...control} value={agent} onChange={({ target }) => setAgentId(target.value)}>
              {agents.map(({ id, name: shown }) => (
                <option key={id} value={id}>
                  {shown}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <ScorerChoice kinds={KINDS} draft={scorer} onChange={setScorer} />
        <Text label="Percent of its runs" value={share} onChange={setShare} />
        <Text label="US dollars a day (empty: no limit)" value={budget} onChange={setBudget} />
      </div>
      <ChangeFailure error={save.error} />
    </Dialog>
  );
}

const Text = (props: { label: string; value: string; onChange: (value: string) => void }) => (
  <Field label={props.label}>
    {(control) => (
      <TextInput {...control} value={props.value} onChange={({ target }) => props.onChange(target.value)} />
    )}
  </Field>
);
