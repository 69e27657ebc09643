import type { CodingAgentInfo } from "@capstan/client";
import Check from "lucide-react/icons/check";
import Minus from "lucide-react/icons/minus";
import SquareTerminal from "lucide-react/icons/square-terminal";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { type Cell, COLUMNS, cellOf, cellWords } from "./capability-cells.ts";
import { Doctor } from "./doctor.tsx";

export function Matrix() {
  const query = useRead(["coding-agents"], (signal) => api.codingAgents.list(signal));
  return (
    <Loaded query={query} what="Coding agents" rows={10}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty icon={SquareTerminal} title="No coding agents" />
        ) : (
          <div className="flex flex-col gap-5">
            <Doctor agents={items.length} />
            <Table agents={items} />
          </div>
        )
      }
    </Loaded>
  );
}

function Table({ agents }: { agents: CodingAgentInfo[] }) {
  return (
    <Panel flush>
      <ScrollRegion label="Capabilities of coding agents" className="rounded-xl">
        <table className="w-full text-left text-sm">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line">
              <th className="px-4 py-3 font-medium">Agent</th>
              {COLUMNS.map(([field, label]) => (
                <th key={field} className="px-2 py-3 text-center font-medium wrap-normal">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {agents.map((agent) => (
              <tr key={agent.name}>
                <th scope="row" className="px-4 py-2.5 text-left font-medium whitespace-nowrap">
                  {agent.display_name}
                  <span className="mt-0.5 block">
                    {agent.installed ? (
                      <Badge tone="good">{agent.version ?? "installed"}</Badge>
                    ) : (
                      <Badge title={agent.next_step ?? undefined}>not installed</Badge>
                    )}
                  </span>
                </th>
                {COLUMNS.map(([field]) => (
                  <td key={field} className="px-2 py-2.5 text-center">
                    <CellView cell={cellOf(agent, field)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
      <p className="flex flex-wrap items-center gap-4 border-t border-line px-4 py-2 text-xs text-ink-faint">
        <span className="inline-flex items-center gap-1">
          <Dot filled={false} /> declared only
        </span>
        <span className="inline-flex items-center gap-1">
          <Dot filled /> seen in a probe
        </span>
        <span className="inline-flex items-center gap-1 text-bad">
          <span className="size-3 rounded-sm bg-bad-soft" /> differs from its claim
        </span>
      </p>
    </Panel>
  );
}

const Dot = ({ filled }: { filled: boolean }) => (
  <span
    className={cx("size-1.5 rounded-full", filled ? "bg-accent" : "border border-line-strong")}
    aria-hidden
  />
);

function CellView({ cell }: { cell: Cell }) {
  const said = cellWords(cell);
  const Icon = cell.effective ? Check : Minus;
  return (
    <span
      title={said}
      className={cx(
        "inline-flex items-center gap-1 rounded-md px-1.5 py-1",
        cell.differs ? "bg-bad-soft text-bad" : cell.effective ? "text-good" : "text-ink-faint",
      )}
    >
      <Icon className="size-4" aria-label={said} role="img" />
      <Dot filled={cell.seen} />
    </span>
  );
}
