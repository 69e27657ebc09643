/** Two runs side by side: their numbers, what they called in which order, and what they answered. */
import type { TraceSpan } from "@capstan/client";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { Panel } from "../../kit/panel.tsx";
import { Loaded } from "../../kit/states.tsx";
import { duration } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import type { NamedRun } from "./trace.tsx";
import { runFigures } from "./trace-facts.ts";

interface RunComparisonProps {
  runs: readonly NamedRun[];
  ids: readonly [string, string];
}

export function RunComparison({ runs, ids }: RunComparisonProps) {
  const [left, right] = ids;
  const query = useRead(["runs", "compared", left, right], async (signal) => {
    const [first, second] = await Promise.all([api.runs.get(left, signal), api.runs.get(right, signal)]);
    if (!first.ok) return first;
    return second.ok ? { ok: true as const, value: [first.value, second.value] as const } : second;
  });
  const nameOf = (id: string) => runs.find(({ run }) => run.id === id)?.name ?? "";
  return (
    <Panel title="Comparison">
      <Loaded query={query} what="Runs" rows={6}>
        {([first, second]) => {
          const traces = [first.trace ?? [], second.trace ?? []] as const;
          const figures = runFigures(first, traces[0]);
          const others = new Map(runFigures(second, traces[1]));
          return (
            <div className="overflow-x-auto">
              <table className="w-full min-w-lg text-left">
                <thead>
                  <tr className="border-b border-line text-xs text-ink-soft">
                    <th className="py-1.5 pr-3 font-medium">
                      <span className="sr-only">Figure</span>
                    </th>
                    {ids.map((id) => (
                      <th key={id} className="max-w-64 truncate py-1.5 pr-3 font-semibold text-ink">
                        {nameOf(id)}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody className="numbers divide-y divide-line">
                  {figures.map(([label, value]) => (
                    <Row key={label} label={label} values={[value, others.get(label) ?? ""]} />
                  ))}
                  <tr className="align-top">
                    <th scope="row" className="py-1.5 pr-3 text-xs font-medium text-ink-soft">
                      Steps
                    </th>
                    {traces.map((trace, side) => (
                      <td key={ids[side]} className="py-1.5 pr-3">
                        <Steps trace={trace} other={traces[1 - side] ?? []} />
                      </td>
                    ))}
                  </tr>
                </tbody>
              </table>
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

const Row = ({ label, values }: { label: string; values: readonly [string, string] }) => (
  <tr className={cx(values[0] !== values[1] && "bg-warn-soft")}>
    <th scope="row" className="py-1.5 pr-3 text-xs font-medium text-ink-soft">
      {label}
    </th>
    <td className="py-1.5 pr-3">{values[0]}</td>
    <td className="py-1.5 pr-3">{values[1]}</td>
  </tr>
);

/** A step that the other run does not have at the same place is marked. */
const Steps = ({ trace, other }: { trace: readonly TraceSpan[]; other: readonly TraceSpan[] }) => (
  <ol className="flex flex-col gap-1">
    {trace.map((span, index) => {
      const same = other[index]?.kind === span.kind && other[index]?.name === span.name;
      return (
        <li key={`${span.kind} ${span.id}`} className="flex flex-wrap items-center gap-1.5 text-xs">
          <Badge tone={span.state === "failed" ? "bad" : same ? "plain" : "warn"}>{span.kind}</Badge>
          <code>{span.name}</code>
          <span className="text-ink-faint">{duration(span.duration_ms)}</span>
        </li>
      );
    })}
  </ol>
);
