import type { RevisionDiff, RevisionSummary } from "@capstan/client";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { Field, Select } from "../../kit/field.tsx";
import { Loaded } from "../../kit/states.tsx";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";

interface RevisionDiffViewProps {
  id: string;
  number: number;
  others: readonly RevisionSummary[];
}

/** How a revision differs from any other; at first from the one before it. */
export function RevisionDiffView({ id, number, others }: RevisionDiffViewProps) {
  const [against, setAgainst] = useState<number>();
  const query = useRead(["agents", id, "revisions", number, against ?? "before"], (signal) =>
    api.agents.revision(id, number, against, signal),
  );
  return (
    <div className="flex flex-col gap-3 rounded-lg border border-line bg-canvas p-3 text-sm">
      <Field label="Compare with" className="w-56">
        {(control) => (
          <Select
            {...control}
            value={against ?? ""}
            onChange={({ target }) => setAgainst(target.value === "" ? undefined : Number(target.value))}
          >
            <option value="">the one before</option>
            {others
              .filter((other) => other.number !== number)
              .map((other) => (
                <option key={other.number} value={other.number}>
                  Revision {other.number}
                </option>
              ))}
          </Select>
        )}
      </Field>
      <Loaded query={query} what="Differences" rows={3}>
        {({ diff }) => <Diff diff={diff} />}
      </Loaded>
    </div>
  );
}

const LINES = { same: "", removed: "bg-bad-soft text-bad", added: "bg-good-soft text-good" } as const;
const MARKS = { same: " ", removed: "−", added: "+" } as const;

function Diff({ diff: { fields, prompt, pins, rights, tokens } }: { diff: RevisionDiff }) {
  const isSame = fields.length + prompt.length + pins.length === 0;
  if (isSame) return <p className="text-ink-soft">Nothing differs.</p>;
  return (
    <div className="flex flex-col gap-3">
      {rights.gained.length > 0 && (
        <p>
          <Badge tone="warn">gains</Badge> {rights.gained.join(", ")}
        </p>
      )}
      {rights.lost.length > 0 && (
        <p>
          <Badge>loses</Badge> {rights.lost.join(", ")}
        </p>
      )}
      {prompt.length > 0 && (
        <pre className="overflow-x-auto rounded-md border border-line text-xs">
          {prompt.map(({ op, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text keep their places
            <div key={at} className={cx("px-2 whitespace-pre-wrap", LINES[op])}>
              {MARKS[op]} {text}
            </div>
          ))}
        </pre>
      )}
      <ul className="flex flex-col gap-1">
        {fields.map(({ field, before, after }) => (
          <li key={field} className="break-words">
            {field}: <Code>{JSON.stringify(before) ?? "nothing"}</Code> →{" "}
            <Code>{JSON.stringify(after) ?? "nothing"}</Code>
          </li>
        ))}
        {pins.map(({ id, before, after }) => (
          <li key={id}>
            {id}: {before?.version ?? "none"} → {after?.version ?? "none"}
          </li>
        ))}
      </ul>
      {tokens.before !== null && tokens.after !== null && tokens.before !== tokens.after && (
        <p className="numbers text-xs text-ink-faint">
          {tokens.before} → {tokens.after} tokens per call
        </p>
      )}
    </div>
  );
}
