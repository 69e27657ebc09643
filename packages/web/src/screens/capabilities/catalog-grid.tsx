/** Cards in as many columns as fit. The browser leaves out the drawing of rows that are not on screen. */
import type { CapabilitySummary } from "@capstan/client";
import { Link } from "wouter";
import { Badge } from "../../kit/badge.tsx";
import { CapabilityTile } from "../../kit/capability-icon.tsx";
import { useWindowedRows } from "../../kit/use-windowed-rows.ts";
import { words } from "../../kit/words.ts";
import { categoryOf } from "./find-capabilities.ts";

const CARD_PX = 132;

export function CatalogGrid({ items }: { items: readonly CapabilitySummary[] }) {
  const { frame, columns, rows, totalPx } = useWindowedRows(items.length, { rowPx: CARD_PX, columnPx: 300 });
  return (
    <div ref={frame} className="-mx-1.5 -mt-3">
      <ul className="relative" style={{ height: totalPx }} aria-label="Capabilities">
        {rows.flatMap(({ row, startPx }) =>
          items.slice(row * columns, (row + 1) * columns).map((capability, column) => (
            <li
              key={capability.id}
              aria-setsize={items.length}
              aria-posinset={row * columns + column + 1}
              className="absolute p-1.5"
              style={{
                top: startPx,
                left: `${(column * 100) / columns}%`,
                width: `${100 / columns}%`,
                height: CARD_PX,
              }}
            >
              <Card capability={capability} />
            </li>
          )),
        )}
      </ul>
    </div>
  );
}

function Card({ capability }: { capability: CapabilitySummary }) {
  const { id, name, description, icon, status, risk, source } = capability;
  return (
    <Link
      href={`/capabilities/${id}`}
      className="flex h-full flex-col gap-2 rounded-xl border border-line bg-surface p-3 transition-colors hover:border-line-strong"
    >
      <span className="flex items-center gap-3">
        <CapabilityTile name={icon} />
        <span className="min-w-0">
          <span className="block truncate font-medium">{name}</span>
          <span className="block truncate text-xs text-ink-faint">
            {categoryOf(capability)} · {source}
          </span>
        </span>
      </span>
      <span className="line-clamp-2 text-xs text-ink-soft">{description}</span>
      <span className="mt-auto flex gap-1.5">
        {status !== "available" && <Badge tone="warn">{words(status).toLowerCase()}</Badge>}
        {risk !== "low" && <Badge tone={risk === "high" ? "bad" : "plain"}>{risk} risk</Badge>}
      </span>
    </Link>
  );
}
