import type { PlanStep, RouteAnswer } from "@capstan/client";
import { Link } from "wouter";
import { Badge, Code } from "../../kit/badge.tsx";
import { amount, percent } from "../../kit/words.ts";
import { reasonText } from "./reason-text.ts";

/** Matches as bars with the reasons for their score; those that were rejected, and why; what would be done. */
export function Ranking({ answer: { intent, matches, rejected, plan } }: { answer: RouteAnswer }) {
  const best = Math.max(1e-9, ...matches.map(({ score }) => score));
  return (
    <div className="flex flex-col gap-6">
      <p className="text-ink-soft">
        {percent(intent.confidence)} sure. Read as “{intent.normalizedTask}”.
      </p>
      {matches.length === 0 ? (
        <p>No match for this task.</p>
      ) : (
        <ol className="flex flex-col gap-4" aria-label="Matches">
          {matches.map(({ id, name, score, reasons }, index) => (
            <li key={id} className="grid gap-1 sm:grid-cols-[14rem_1fr] sm:gap-4">
              <span className="min-w-0">
                <Link href={`/capabilities/${id}`} className="font-medium text-accent-ink hover:underline">
                  {index + 1}. {name}
                </Link>
                <span className="block truncate text-xs text-ink-faint">{id}</span>
              </span>
              <span className="flex min-w-0 flex-col gap-1.5">
                <span className="flex items-center gap-2">
                  <span className="h-3 min-w-0 flex-1 rounded-full bg-sunken">
                    <span
                      className="block h-3 rounded-full bg-accent"
                      style={{ width: `${Math.max(1, (score / best) * 100)}%` }}
                    />
                  </span>
                  <span className="numbers w-12 text-right text-xs font-medium">{amount(score)}</span>
                </span>
                <span className="flex flex-wrap gap-1">
                  {reasons.map((reason) => (
                    <Badge key={reason} title={reason} className="whitespace-normal">
                      {reasonText(reason)}
                    </Badge>
                  ))}
                </span>
              </span>
            </li>
          ))}
        </ol>
      )}
      <Plan plan={plan} />
      {rejected.length > 0 && (
        <details>
          <summary className="w-fit rounded-sm text-sm font-medium">{rejected.length} rejected</summary>
          <ul className="mt-3 flex flex-col gap-2">
            {rejected.map(({ id, score, why }) => (
              <li key={id} className="flex flex-wrap items-center gap-2">
                <Code>{id}</Code>
                <span className="numbers text-xs text-ink-faint">{amount(score)}</span>
                <span className="text-ink-soft">{why}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

export function Plan({ plan }: { plan: readonly PlanStep[] }) {
  if (plan.length === 0) return null;
  return (
    <section aria-label="Plan">
      <h3 className="mb-2 text-xs font-semibold text-ink-soft">Plan</h3>
      <ol className="flex flex-col gap-2">
        {plan.map(({ step, capabilityId, method, route, payload, goal, missing, guessed, risk }) => (
          <li key={step} className="flex flex-wrap items-baseline gap-2">
            <span className="numbers text-ink-faint">{step}.</span>
            <Code>{capabilityId}</Code>
            {route && (
              <Code>
                {method} {route}
              </Code>
            )}
            <Code>{JSON.stringify(payload)}</Code>
            <span className="text-ink-soft">{goal}</span>
            {risk !== "read" && (
              <Badge tone="warn">{risk === "write" ? "makes changes" : "cannot be undone"}</Badge>
            )}
            {guessed && guessed.length > 0 && <Badge tone="warn">guessed: {guessed.join(", ")}</Badge>}
            {missing && missing.length > 0 && <Badge tone="warn">needs {missing.join(", ")}</Badge>}
          </li>
        ))}
      </ol>
    </section>
  );
}
