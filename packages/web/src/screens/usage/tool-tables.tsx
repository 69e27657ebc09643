import type { ToolUsage } from "@capstan/client";
import { useState } from "react";
import { Link } from "wouter";
import { Badge, Code } from "../../kit/badge.tsx";
import { Field, Select } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { Loaded } from "../../kit/states.tsx";
import { amount, duration, percent } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";

const SORTS = {
  slowest: "Slowest first",
  failing: "Most failing first",
  calls: "Most called first",
} as const;
type Sort = keyof typeof SORTS;
const isSort = (text: string): text is Sort => text in SORTS;
const REFRESH_MS = 15_000;
const CELL = "px-4 py-2 text-right";

/** Tools and capabilities by how often they are called, how long they take and how often they fail. */
export function ToolTables({ from }: { from: string }) {
  const [sort, setSort] = useState<Sort>("slowest");
  const [by, setBy] = useState<"tool" | "capability">("tool");
  const query = useRead(
    ["usage", "tools", from, sort, by],
    (signal) => api.usage.tools({ from, sort, group_by: by }, signal),
    { everyMs: REFRESH_MS, keepPrevious: true },
  );
  const choices = (
    <>
      <Field label="Rows" hideLabel className="w-32">
        {(control) => (
          <Select
            {...control}
            value={by}
            onChange={({ target }) => setBy(target.value === "tool" ? "tool" : "capability")}
          >
            <option value="tool">By tool</option>
            <option value="capability">By capability</option>
          </Select>
        )}
      </Field>
      <Field label="Order" hideLabel className="w-40">
        {(control) => (
          <Select
            {...control}
            value={sort}
            onChange={({ target }) => isSort(target.value) && setSort(target.value)}
          >
            {Object.entries(SORTS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </>
  );
  return (
    <Panel title="Tools" actions={choices} flush>
      <Loaded query={query} what="Tools" rows={4}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="p-4 text-ink-soft">No tool was called in this period.</p>
          ) : (
            <ToolTable items={items} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function ToolTable({ items }: { items: readonly ToolUsage[] }) {
  return (
    <ScrollRegion label="Tools by time and failures" className="rounded-b-xl">
      <table className="numbers w-full text-left whitespace-nowrap">
        <thead className="text-xs text-ink-soft">
          <tr className="border-b border-line">
            <th className="px-4 py-2 font-medium">Tool</th>
            <th className={`${CELL} font-medium`}>Calls</th>
            <th className={`${CELL} font-medium`}>Failed</th>
            <th className={`${CELL} font-medium`}>Median</th>
            <th className={`${CELL} font-medium`}>95%</th>
            <th className={`${CELL} font-medium`}>Slowest</th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line">
          {items.map((row) => (
            <tr key={`${row.capability_id} ${row.tool ?? ""}`}>
              <td className="px-4 py-2">
                <Name row={row} />
              </td>
              <td className={CELL}>{amount(row.calls)}</td>
              <td className={CELL}>
                {row.failures === 0 ? (
                  "0"
                ) : (
                  <Badge tone="bad">
                    {amount(row.failures)} · {percent(row.failures / row.calls)}
                  </Badge>
                )}
              </td>
              <td className={CELL}>{duration(row.p50_ms)}</td>
              <td className={CELL}>{duration(row.p95_ms)}</td>
              <td className={CELL}>{duration(row.max_ms)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Name({ row: { capability_id, tool } }: { row: ToolUsage }) {
  return (
    <span className="inline-flex items-center gap-2">
      {tool !== undefined && <Code>{tool}</Code>}
      {capability_id === "unknown" ? (
        <span className="text-xs text-ink-faint">no such tool</span>
      ) : (
        <Link
          href={`/capabilities/${encodeURIComponent(capability_id)}`}
          className="text-xs text-ink-soft hover:underline"
        >
          {capability_id}
        </Link>
      )}
    </span>
  );
}
