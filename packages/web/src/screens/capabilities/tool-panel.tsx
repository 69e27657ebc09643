import type { ToolDetail } from "@capstan/client";
import Play from "lucide-react/icons/play";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { FlowBadges } from "../../kit/flow-badges.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { Panel } from "../../kit/panel.tsx";
import { PolicyBadge } from "../../kit/policy-badge.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { duration } from "../../kit/words.ts";
import { ToolRunner } from "./tool-runner.tsx";

type View = "run" | "input" | "output";

/** A tool with its schemas, and a form to run it by itself. */
export function ToolPanel({ capabilityId, tool }: { capabilityId: string; tool: ToolDetail }) {
  const [open, setOpen] = useState(false);
  const { name, policy, description, required_scopes, timeout_ms, idempotent, unavailable, reads, writes } =
    tool;
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-center gap-2">
          <Code>{name}</Code>
          <PolicyBadge policy={policy} />
          <FlowBadges reads={reads} writes={writes} />
          {unavailable && <Badge tone="bad">not available</Badge>}
        </span>
      }
      actions={
        <Button size="sm" aria-expanded={open} onClick={() => setOpen(!open)}>
          <Play className="size-3.5" aria-hidden />
          {open ? "Close" : "Try it"}
        </Button>
      }
    >
      <p className="text-ink-soft">{description}</p>
      {unavailable && <p className="mt-1 text-bad">{unavailable}</p>}
      <p className="mt-2 text-xs text-ink-faint">
        Up to {duration(timeout_ms)}, {idempotent ? "safe to retry" : "not retried automatically"}
        {required_scopes.length > 0 && `, needs ${required_scopes.join(", ")}`}
      </p>
      {open && <Opened capabilityId={capabilityId} tool={tool} />}
    </Panel>
  );
}

function Opened({ capabilityId, tool }: { capabilityId: string; tool: ToolDetail }) {
  const [view, setView] = useState<View>("run");
  const tabs: { name: View; label: string }[] = [
    { name: "run", label: "Run" },
    { name: "input", label: "Input schema" },
    ...(tool.output_schema ? [{ name: "output" as const, label: "Output schema" }] : []),
  ];
  return (
    <div className="mt-4">
      <Tabs label={`About ${tool.name}`} tabs={tabs} current={view} onChange={setView}>
        {view === "run" && <ToolRunner capabilityId={capabilityId} tool={tool} />}
        {view === "input" && <JsonView value={tool.input_schema} label="Input schema" />}
        {view === "output" && <JsonView value={tool.output_schema} label="Output schema" />}
      </Tabs>
    </div>
  );
}
