import type { TaskAnswer } from "@capstan/client";
import { Badge, Code, type Tone } from "../../kit/badge.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { amount, percent } from "../../kit/words.ts";
import { Plan } from "./ranking.tsx";

const TONES: Record<TaskAnswer["status"], Tone> = {
  ok: "good",
  partial: "warn",
  degraded: "bad",
  "no-match": "plain",
  error: "bad",
};

/** A task's answer as the specification's chat shows it: intent, matches with reasons, plan, status, result. */
export function TaskResult({ answer }: { answer: TaskAnswer }) {
  const { intent, matchedCapabilities, plan, execution, status, diagnostics } = answer;
  return (
    <div className="flex flex-col gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={TONES[status]}>{status}</Badge>
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
                <Badge key={reason}>{reason}</Badge>
              ))}
            </li>
          ))}
        </ul>
      )}
      <Plan plan={plan} />
      {!execution.dryRun &&
        execution.steps.map((step) => (
          <div key={step.step} className="flex flex-col gap-1">
            <p className="flex flex-wrap items-center gap-2 text-xs text-ink-soft">
              Step {step.step}
              <Badge tone={step.ok ? "good" : "bad"}>{step.status ?? (step.ok ? "ok" : "failed")}</Badge>
            </p>
            <JsonView
              value={step.ok ? step.data : (step.error ?? step.data)}
              label={`Result of step ${step.step}`}
            />
          </div>
        ))}
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
