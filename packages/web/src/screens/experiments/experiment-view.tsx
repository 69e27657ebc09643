/** One experiment: what got worse first, then the variants beside each other, then every cell. */
import type { ExperimentReport } from "@capstan/client";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { count, percent } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";
import { CellTable } from "./cell-table.tsx";
import { factsOf, Progress, titleOf } from "./experiment-list.tsx";
import { scoreText } from "./score-text.ts";
import { VariantTable } from "./variant-table.tsx";

const POLL_MS = 2_000;
const LIST = "flex flex-col divide-y divide-line";

/** Asked again while it continues. */
export function useExperiment(id: string) {
  const key = ["experiments", id];
  const status = useQueryClient().getQueryData<ExperimentReport>(key)?.status;
  return useRead(key, (signal) => api.experiments.get(id, signal), {
    everyMs: status === "running" ? POLL_MS : undefined,
  });
}

export function ExperimentView({ id }: { id: string }) {
  return (
    <Loaded query={useExperiment(id)} what="Experiments" rows={6}>
      {(report) => (
        <div className="flex flex-col gap-5">
          <Header report={report} />
          <Regressions report={report} />
          <VariantTable report={report} />
          <Flaky report={report} />
          <People report={report} />
          <CellTable report={report} />
        </div>
      )}
    </Loaded>
  );
}

function Header({ report }: { report: ExperimentReport }) {
  const cancel = useChange(() => api.experiments.cancel(report.id), ["experiments"]);
  return (
    <header className="flex flex-wrap items-start justify-between gap-3">
      <div className="min-w-0">
        <h2 className="text-base font-semibold break-words">{titleOf(report)}</h2>
        <p className="flex flex-wrap items-center gap-2">
          <Progress experiment={report} />
          <Link
            href={`/experiments/datasets/${report.dataset_id}`}
            className="text-xs text-accent-ink underline"
          >
            {factsOf(report)}
          </Link>
        </p>
        <ChangeFailure error={cancel.error} />
      </div>
      <div className="flex flex-wrap gap-2">
        {report.status === "running" && (
          <Button
            size="sm"
            busy={cancel.isPending}
            doing="Cancelling…"
            onClick={() => cancel.mutate(undefined)}
          >
            Cancel
          </Button>
        )}
        <LinkButton size="sm" href={`/experiments/review/${report.id}`}>
          Review
        </LinkButton>
      </div>
    </header>
  );
}

interface CellLinksProps {
  report: ExperimentReport;
  cells: readonly string[];
  /** What the cells belong to, for screen readers. */
  of: string;
  text: string;
}

function CellLinks({ report, cells, of, text }: CellLinksProps) {
  const isRepeated = cells.length > 1;
  return (
    <span className="inline-flex flex-wrap gap-x-2">
      {isRepeated && text}
      {cells.map((cell, at) => (
        <Link
          key={cell}
          href={`/experiments/results/${report.id}/${cell}`}
          aria-label={`Trace of ${of}${isRepeated ? `, repeat ${at + 1}` : ""}`}
          className="text-accent-ink underline"
        >
          {isRepeated ? at + 1 : text}
        </Link>
      ))}
    </span>
  );
}

function Regressions({ report }: { report: ExperimentReport }) {
  const { regressions } = report.figures;
  const nameOf = (variant: number) => report.variants[variant]?.name ?? String(variant);
  if (report.variants.length < 2) return null;
  return (
    <Panel title={`Regressions (${regressions.length})`} flush>
      {regressions.length === 0 && (
        <p className="p-4 text-sm text-ink-soft">No item scores lower than with {nameOf(0)}.</p>
      )}
      <ul className={LIST}>
        {regressions.map(({ item_id, scorer, variant, before, after, why, ...cells }) => (
          <li
            key={`${item_id} ${scorer} ${variant}`}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2 text-sm"
          >
            <span className="min-w-0 font-medium break-words">{item_id}</span>
            <span className="text-ink-soft">{scorer}</span>
            <Badge tone="bad">
              {scoreText(before)} → {scoreText(after)}
            </Badge>
            <CellLinks
              report={report}
              cells={cells.before_cells}
              of={`${item_id} with ${nameOf(0)}`}
              text={nameOf(0)}
            />
            <span aria-hidden>→</span>
            <CellLinks
              report={report}
              cells={cells.after_cells}
              of={`${item_id} with ${nameOf(variant)}`}
              text={nameOf(variant)}
            />
            {why && <span className="min-w-0 basis-full text-xs break-words text-ink-faint">{why}</span>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Flaky({ report: { figures, variants } }: { report: ExperimentReport }) {
  if (figures.flaky.length === 0) return null;
  return (
    <Panel title={`Flaky items (${figures.flaky.length})`} flush>
      <ul className={LIST}>
        {figures.flaky.map(({ item_id, scorer, variant, passed, of }) => (
          <li key={`${item_id} ${scorer} ${variant}`} className="px-4 py-2 text-sm break-words">
            <span className="font-medium">{item_id}</span> passes {scorer} in {passed} of{" "}
            {count(of, "repeat")} with {variants[variant]?.name}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

/** Where people disagree with each other, and judges with people. */
function People({ report }: { report: ExperimentReport }) {
  const { calibration, disagreements } = report.figures;
  if (calibration.length + disagreements.length === 0) return null;
  return (
    <Panel title="People and judges" flush>
      <ul className={LIST}>
        {disagreements.map(({ cell_id, item_id, scorer, scores }) => (
          <li key={`${cell_id} ${scorer}`} className="flex flex-wrap items-center gap-2 px-4 py-2 text-sm">
            <Badge tone="warn">People disagree</Badge>
            <span className="min-w-0 break-words">
              {item_id}, {scorer}: {scores.map(scoreText).join(" and ")}
            </span>
            <CellLinks report={report} cells={[cell_id]} of={`${item_id}, disagreed on`} text="Trace" />
          </li>
        ))}
        {calibration.map(({ judge, human, share, kappa, items }) => (
          <li key={`${judge} ${human}`} className="px-4 py-2 text-sm break-words">
            {judge} agrees with {human} in {percent(share)} of {count(items, "item")} (kappa{" "}
            {scoreText(kappa)})
          </li>
        ))}
      </ul>
    </Panel>
  );
}
