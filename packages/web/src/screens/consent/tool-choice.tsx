/** Which of the agent's tools the client may call: all it asked for, those that only read, or chosen ones. */
import type { ClientLoginReview } from "@capstan/client";
import { useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { Panel } from "../../kit/panel.tsx";

const ALL = "tools";
const READING = "tools:read";

type Extent = "asked" | "reading" | "chosen";

interface ToolChoiceProps {
  review: ClientLoginReview;
  scopes: readonly string[];
  onChange: (scopes: string[]) => void;
}

export function ToolChoice({ review, scopes, onChange }: ToolChoiceProps) {
  const [extent, setExtent] = useState<Extent>("asked");
  const mayNarrow = review.surface === "mcp" && review.scopes.includes(ALL);
  const choose = (next: Extent) => {
    setExtent(next);
    onChange({ asked: review.scopes, reading: [READING], chosen: [] as string[] }[next]);
  };
  const options: [Extent, string][] = [
    ["asked", "Every tool, and messages to the agent"],
    ["reading", "Read-only tools"],
    ["chosen", "Selected tools"],
  ];
  return (
    <Panel title="Tools">
      {mayNarrow && (
        <fieldset className="mb-3 flex flex-col gap-1">
          <legend className="sr-only">What the client may use</legend>
          {options.map(([value, label]) => (
            <label key={value} className="flex items-center gap-2 text-sm">
              <input type="radio" name="extent" checked={extent === value} onChange={() => choose(value)} />
              {label}
            </label>
          ))}
        </fieldset>
      )}
      <ul className="flex flex-col divide-y divide-line">
        {review.tools.map((tool) => (
          <Tool
            key={tool.name}
            tool={tool}
            isAllowed={isAllowed(scopes, tool)}
            onToggle={extent === "chosen" ? () => onChange(toggled(scopes, `tool:${tool.name}`)) : undefined}
          />
        ))}
        {review.tools.length === 0 && <li className="text-sm text-ink-soft">This agent has no tools.</li>}
      </ul>
    </Panel>
  );
}

type ReviewedTool = ClientLoginReview["tools"][number];

const isAllowed = (scopes: readonly string[], { name, risk }: ReviewedTool): boolean =>
  scopes.includes(ALL) || scopes.includes(`tool:${name}`) || (scopes.includes(READING) && risk === "read");

const toggled = (scopes: readonly string[], scope: string): string[] =>
  scopes.includes(scope) ? scopes.filter((each) => each !== scope) : [...scopes, scope];

interface ToolProps {
  tool: ReviewedTool;
  isAllowed: boolean;
  onToggle: (() => void) | undefined;
}

function Tool({ tool, isAllowed, onToggle }: ToolProps) {
  return (
    <li className="flex items-start gap-3 py-2">
      <input
        type="checkbox"
        className="mt-1"
        checked={isAllowed}
        disabled={onToggle === undefined}
        onChange={onToggle}
        aria-label={`Allow ${tool.name}`}
      />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 text-sm font-medium">
          {tool.name}
          {tool.policy === "approve" && <Badge tone="warn">asks you first</Badge>}
          {tool.risk === "read" && <Badge>reads</Badge>}
        </p>
        <p className="text-xs text-ink-soft">{tool.description}</p>
      </div>
    </li>
  );
}
