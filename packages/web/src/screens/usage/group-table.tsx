import type { Usage, UsageGroup } from "@capstan/client";
import { Link } from "wouter";
import { Panel } from "../../kit/panel.tsx";
import { ScrollRegion } from "../../kit/scroll-region.tsx";
import { amount, percent, usd } from "../../kit/words.ts";

const TITLES = { agent: "Agents", model: "Models", user: "Users" };
const CELL = "px-4 py-2 text-right";

/** Usage by agent, model or user, highest cost first. */
export function GroupTable({ usage: { groups, group_by, total } }: { usage: Usage }) {
  return (
    <Panel title={TITLES[group_by]} flush>
      <ScrollRegion label={`${TITLES[group_by]} by cost`} className="rounded-b-xl">
        <table className="numbers w-full text-left whitespace-nowrap">
          <thead className="text-xs text-ink-soft">
            <tr className="border-b border-line">
              <th className="px-4 py-2 font-medium">{TITLES[group_by].slice(0, -1)}</th>
              <th className={`${CELL} font-medium`}>Cost</th>
              <th className={`${CELL} font-medium`}>Share</th>
              <th className={`${CELL} font-medium`}>Calls</th>
              <th className={`${CELL} font-medium`}>Input</th>
              <th className={`${CELL} font-medium`}>Output</th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line">
            {groups.map((group) => (
              <tr key={group.key}>
                <td className="max-w-80 truncate px-4 py-2">
                  <Name group={group} isAgent={group_by === "agent"} />
                </td>
                <td className={CELL}>{costText(group)}</td>
                <td className={CELL}>{shareOf(group, total)}</td>
                <td className={CELL}>{amount(group.calls)}</td>
                <td className={CELL}>{amount(group.input_tokens)}</td>
                <td className={CELL}>{amount(group.output_tokens)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Panel>
  );
}

function Name({ group: { key, name }, isAgent }: { group: UsageGroup; isAgent: boolean }) {
  if (!isAgent || name === "Deleted agent") return <span title={key}>{name || "unknown"}</span>;
  return (
    <Link href={`/agents/${key}`} className="text-accent-ink hover:underline">
      {name}
    </Link>
  );
}

const costText = ({ cost_usd, unpriced_calls, calls }: UsageGroup): string =>
  unpriced_calls === calls ? "no price known" : usd(cost_usd);

/** Share of the cost, or of the tokens if nothing has a price. */
function shareOf(group: UsageGroup, total: Usage["total"]): string {
  if (total.cost_usd > 0) return percent(group.cost_usd / total.cost_usd);
  const tokens = total.input_tokens + total.output_tokens;
  return tokens === 0 ? "0%" : percent((group.input_tokens + group.output_tokens) / tokens);
}
