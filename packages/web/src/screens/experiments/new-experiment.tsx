import type { Dataset } from "@capstan/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { useAgents } from "../../server/reads.ts";
import { isScorerReady, ScorerChoice, type ScorerDraft, specOf } from "./scorer-choice.tsx";

const KINDS = ["exact", "contains", "judge", "no_leak", "refusal", "human"] as const;

/** The live revision beside another one, on the newest version of the dataset. */
export function NewExperiment({ dataset, onClose }: { dataset: Dataset; onClose: () => void }) {
  const [, go] = useLocation();
  const agents = useAgents().data?.items ?? [];
  const [agentId, setAgentId] = useState<string>();
  const [revision, setRevision] = useState("");
  const [repeats, setRepeats] = useState("1");
  const [scorer, setScorer] = useState<ScorerDraft>({ type: "exact", text: "" });
  const agent = agentId ?? agents[0]?.id;
  const start = useChange(async () => {
    const made = await api.experiments.create({
      dataset_id: dataset.id,
      agent_id: agent ?? "",
      variants: [{}, ...(revision === "" ? [] : [{ revision: Number(revision) }])],
      scorers: [specOf(scorer)],
      repeats: Number(repeats),
    });
    if (made.ok) go(`/experiments/results/${made.value.id}`);
    return made;
  }, ["experiments"]);
  return (
    <Dialog
      wide
      title={`Measure an agent on ${dataset.name}`}
      onClose={onClose}
      footer={
        <Button
          look="primary"
          busy={start.isPending}
          doing="Starting…"
          disabled={agent === undefined || !isScorerReady(scorer)}
          onClick={() => start.mutate(undefined)}
        >
          Start
        </Button>
      }
    >
      <div className="grid gap-3 md:grid-cols-2">
        <Field label="Agent">
          {(control) => (
            <Select {...control} value={agent} onChange={({ target }) => setAgentId(target.value)}>
              {agents.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        {agent !== undefined && <RevisionChoice agentId={agent} value={revision} onChange={setRevision} />}
        <ScorerChoice kinds={KINDS} draft={scorer} onChange={setScorer} />
        <Field label="Repeats">
          {(control) => (
            <Select {...control} value={repeats} onChange={({ target }) => setRepeats(target.value)}>
              {["1", "3", "5", "10"].map((each) => (
                <option key={each}>{each}</option>
              ))}
            </Select>
          )}
        </Field>
      </div>
      <p className="mt-3 text-sm text-ink-soft">
        Tool results come from the dataset; nothing with side effects runs.
      </p>
      <ChangeFailure error={start.error} />
    </Dialog>
  );
}

interface RevisionChoiceProps {
  agentId: string;
  value: string;
  onChange: (value: string) => void;
}

function RevisionChoice({ agentId, value, onChange }: RevisionChoiceProps) {
  const query = useRead(["agents", agentId, "revisions"], (signal) => api.agents.revisions(agentId, signal));
  return (
    <Field label="Beside live">
      {(control) => (
        <Select {...control} value={value} onChange={({ target }) => onChange(target.value)}>
          <option value="">nothing</option>
          {(query.data ?? []).map(({ number, label, why }) => (
            <option key={number} value={number}>
              Revision {number}
              {label && `, ${label}`}
              {why && `: ${why}`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
