import type { ExperimentCell, ExperimentReport } from "@capstan/client";
import { Link } from "wouter";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { api } from "../../server/api.ts";
import { numbered } from "./numbered.ts";
import { scoreText } from "./score-text.ts";

const POLL_MS = 5_000;
const CELL = "px-4 py-2 align-top";

/** Every item with every variant; each repeat opens its trace. */
export function CellTable({ report: { id, variants, status } }: { report: ExperimentReport }) {
  const { query, more } = usePages(
    ["experiments", id, "cells"],
    (page, signal) => api.experiments.cells(id, page, signal),
    status === "running" ? POLL_MS : undefined,
  );
  return (
    <Panel title="Cells" flush>
      <Loaded query={query} what="Cells" rows={4}>
        {(cells) => (
          <div className="flex flex-col gap-2 pb-2">
            <ScrollRegion label="Cells by item and variant" className="max-h-[70dvh]">
              <table className="numbers w-full text-left text-sm">
                <thead className="text-xs text-ink-soft">
                  <tr className="border-b border-line">
                    <th className={`${CELL} font-medium`}>Item</th>
                    {numbered(variants).map(({ at, item: { name } }) => (
                      <th key={at} className={`${CELL} font-medium whitespace-nowrap`}>
                        {name}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody className="divide-y divide-line">
                  {[...Map.groupBy(cells, ({ item_id }) => item_id)].map(([item, ofItem]) => (
                    <tr key={item}>
                      <th className={`${CELL} min-w-32 font-medium`}>{item}</th>
                      {numbered(variants).map(({ at, item: { name } }) => (
                        <td key={at} className={CELL}>
                          <Repeats
                            experiment={id}
                            cells={ofItem.filter((cell) => cell.variant === at)}
                            of={`${item}, ${name}`}
                          />
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </ScrollRegion>
            {more}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

interface RepeatsProps {
  experiment: string;
  cells: readonly ExperimentCell[];
  of: string;
}

function Repeats({ experiment, cells, of }: RepeatsProps) {
  return (
    <div className="flex flex-wrap gap-x-3 gap-y-1">
      {cells.map((cell) => (
        <Link
          key={cell.id}
          href={`/experiments/results/${experiment}/${cell.id}`}
          aria-label={`${of}, repeat ${cell.repeat + 1}: ${cellText(cell)}`}
          className="whitespace-nowrap text-accent-ink underline"
        >
          {cellText(cell)}
        </Link>
      ))}
    </div>
  );
}

const cellText = ({ status, scores }: ExperimentCell): string =>
  status === "done"
    ? scores.map(({ score }) => (score === null ? "?" : scoreText(score))).join(" / ") || "done"
    : status;
