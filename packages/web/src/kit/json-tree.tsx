/** JSON as an expandable tree; long lists show their first entries, and the rest on request. */
import { useState } from "react";
import { Button } from "./button.tsx";

const SHOWN = 100;

export function JsonTree({ value, name, open = false }: { value: unknown; name?: string; open?: boolean }) {
  if (value === null || typeof value !== "object") return <Leaf name={name} value={value} />;
  const entries = Object.entries(value);
  const isList = Array.isArray(value);
  return (
    <details open={open} className="text-xs">
      <summary className="w-fit rounded-sm font-mono">
        {name !== undefined && <span className="text-accent-ink">{name}: </span>}
        <span className="text-ink-faint">{isList ? `[${entries.length}]` : `{${entries.length}}`}</span>
      </summary>
      <Children entries={entries} />
    </details>
  );
}

function Children({ entries }: { entries: readonly [string, unknown][] }) {
  const [shown, setShown] = useState(SHOWN);
  return (
    <ul className="ml-3 flex flex-col border-l border-line pl-3">
      {entries.slice(0, shown).map(([key, value]) => (
        <li key={key}>
          <JsonTree name={key} value={value} />
        </li>
      ))}
      {entries.length > shown && (
        <li>
          <Button size="sm" look="quiet" onClick={() => setShown(shown + SHOWN)}>
            {entries.length - shown} more
          </Button>
        </li>
      )}
    </ul>
  );
}

const Leaf = ({ name, value }: { name: string | undefined; value: unknown }) => (
  <span className="font-mono text-xs">
    {name !== undefined && <span className="text-accent-ink">{name}: </span>}
    <span className={typeof value === "string" ? "text-good" : "text-thought"}>{JSON.stringify(value)}</span>
  </span>
);
