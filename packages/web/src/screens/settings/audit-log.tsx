import type { AuditEntry } from "@capstan/client";
import ScrollText from "lucide-react/icons/scroll-text";
import { Code } from "../../kit/badge.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { Empty, Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";

export function AuditLog() {
  const { query, more } = usePages<AuditEntry, number>(["audit"], (page, signal) =>
    api.server.audit(page, signal),
  );
  return (
    <Loaded query={query} what="Audit entries" rows={6}>
      {(items) =>
        items.length === 0 ? (
          <Empty icon={ScrollText} title="No entries yet">
            Changes to agents, keys, users, rules and packages appear here, with who made them.
          </Empty>
        ) : (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map((entry) => (
                <li key={entry.id}>
                  <Row entry={entry} />
                </li>
              ))}
            </ul>
            {more}
          </div>
        )
      }
    </Loaded>
  );
}

const Row = ({
  entry: { actor, action, subject, subject_name, details, created_at },
}: {
  entry: AuditEntry;
}) => (
  <details>
    <summary className="flex flex-wrap items-center gap-3 px-4 py-2.5 -outline-offset-2 hover:bg-sunken">
      <span className="numbers w-40 shrink-0 text-xs text-ink-faint">{dateTime(created_at)}</span>
      <Code>{action}</Code>
      <span className="min-w-32 flex-1 truncate" title={subject}>
        {subject_name ?? subject}
      </span>
      <span className="text-xs text-ink-soft">{actor}</span>
    </summary>
    <div className="flex flex-col gap-2 px-4 pb-3">
      {subject_name !== null && (
        <p className="text-xs text-ink-faint">
          Id <Code>{subject}</Code>
        </p>
      )}
      <JsonView value={details} label="Details" />
    </div>
  </details>
);
