import type { TaskAnswer } from "@capstan/client";
import { Link } from "wouter";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { amount, percent } from "../../kit/words.ts";
import { Plan } from "./ranking.tsx";
import { reasonText } from "./reason-text.ts";

const TONES: Record<TaskAnswer["status"], Tone> = {
  ok: "good",
  partial: "warn",
  degraded: "bad",
  "no-match": "plain",
  error: "bad",
};

interface TaskResultProps {
  answer: TaskAnswer;
  /** Runs exactly the proposed plan. */
  onConfirm: (confirm: string) => void;
}

/** A task's answer as the specification's chat shows it: intent, matches with reasons, plan, status, result. */
export function TaskResult({ answer, onConfirm }: TaskResultProps) {
  const { intent, matchedCapabilities, plan, execution, status, session, proposal, diagnostics } = answer;
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={proposal ? "warn" : TONES[status]}>{proposal ? "needs confirmation" : status}</Badge>
        <span>
          {intent.label}, {percent(intent.confidence)} sure
        </span>
      </p>
      {matchedCapabilities.length > 0 && (
        <ul className="flex flex-col gap-2" aria-label="Matched capabilities">
          {matchedCapabilities.map(({ capability, score, reasons }) => (
            <li key={capability.id} className="flex flex-wrap items-center gap-1.5">
              <Code>{capability.id}</Code>
              <span className="numbers text-xs font-medium">{amount(score)}</span>
              {reasons.slice(0, 5).map((reason) => (
                <Badge key={reason} title={reason} className="whitespace-normal">
                  {reasonText(reason)}
                </Badge>
              ))}
            </li>
          ))}
        </ul>
      )}
      <Plan plan={plan} />
      {proposal && <Proposal why={proposal.why} onConfirm={() => onConfirm(proposal.confirm)} />}
      {!execution.dryRun && execution.steps.map((step) => <StepResult key={step.step} step={step} />)}
      {session && <SessionFiles {...session} />}
      {diagnostics.notes.length > 0 && (
        <ul className="list-disc pl-5 text-ink-soft">
          {diagnostics.notes.map((note) => (
            <li key={note}>{note}</li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface ProposalProps {
  why: readonly string[];
  onConfirm: () => void;
}

/** Nothing ran: the plan would change something, and part of it is a guess. */
const Proposal = ({ why, onConfirm }: ProposalProps) => (
  <section
    aria-label="Confirm this plan"
    className="flex flex-col gap-3 rounded-lg border border-warn bg-warn-soft p-4"
  >
    <h3 className="text-sm font-semibold text-warn">Confirm this plan. Nothing has run yet.</h3>
    <ul className="list-disc pl-5">
      {why.map((reason) => (
        <li key={reason}>{reason}</li>
      ))}
    </ul>
    <Button look="primary" size="sm" className="self-start" onClick={onConfirm}>
      Confirm and run
    </Button>
  </section>
);

function StepResult({ step }: { step: TaskAnswer["execution"]["steps"][number] }) {
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
        Step {step.step}
        <Badge tone={step.ok ? "good" : "bad"}>{step.status ?? (step.ok ? "ok" : "failed")}</Badge>
        {step.error?.code === "approval_needed" && (
          <Link href="/approvals" className="font-medium text-accent-ink hover:underline">
            Open the approval
          </Link>
        )}
      </p>
      <JsonView
        value={step.ok ? step.data : (step.error ?? step.data)}
        label={`Result of step ${step.step}`}
      />
    </div>
  );
}

/** A task that works with files has a session of its own. */
const SessionFiles = ({ id, files }: NonNullable<TaskAnswer["session"]>) => (
  <p className="flex flex-wrap items-center gap-2">
    <Link href={`/sessions/${id}/files`} className="font-medium text-accent-ink hover:underline">
      {files.length === 0 ? "Open the session" : "Files of this task"}
    </Link>
    {files.map((file) => (
      <Code key={file}>{file}</Code>
    ))}
  </p>
);
