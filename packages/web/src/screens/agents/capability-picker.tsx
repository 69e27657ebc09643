import type { CapabilitySummary } from "@capstan/client";
import { useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { CapabilityTile } from "../../kit/capability-icon.tsx";
import { cx } from "../../kit/cx.ts";
import { TextField } from "../../kit/field.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Loaded } from "../../kit/states.tsx";
import { useCapabilities } from "../../server/reads.ts";
import { byCategory, matching } from "../capabilities/find-capabilities.ts";
import { toggled } from "./agent-draft.ts";
import type { DraftProps } from "./basic-fields.tsx";

const SHOWN = 60; // beyond it people search; a thousand cards would only slow the form down

export function CapabilityPicker({ draft, onChange }: DraftProps) {
  const [text, setText] = useState("");
  const query = useCapabilities();
  const chosen = new Set(draft.capabilities.map(({ id }) => id));
  const search = (
    <TextField
      label="Search capabilities"
      hideLabel
      className="w-48 sm:w-64"
      type="search"
      placeholder="Search"
      value={text}
      onChange={setText}
    />
  );
  return (
    <Panel title="Capabilities" actions={search}>
      <Loaded query={query} what="Capabilities" rows={5}>
        {({ items }) => {
          const found = matching(items, { text });
          return (
            <div className="flex flex-col gap-5">
              {byCategory(found.slice(0, SHOWN)).map(([category, capabilities]) => (
                <section key={category} aria-label={category}>
                  <h3 className="mb-2 text-xs font-semibold text-ink-soft">{category}</h3>
                  <ul className="grid gap-2 sm:grid-cols-2">
                    {capabilities.map((capability) => (
                      <li key={capability.id}>
                        <CapabilityCard
                          capability={capability}
                          on={chosen.has(capability.id)}
                          onToggle={() =>
                            onChange({ capabilities: toggled(draft.capabilities, capability.id) })
                          }
                        />
                      </li>
                    ))}
                  </ul>
                </section>
              ))}
              {found.length === 0 && <p className="text-ink-soft">Nothing matches “{text}”.</p>}
              {found.length > SHOWN && (
                <p className="text-ink-soft">{found.length - SHOWN} more. Search to find them.</p>
              )}
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

interface CapabilityCardProps {
  capability: CapabilitySummary;
  on: boolean;
  onToggle: () => void;
}

function CapabilityCard({ capability, on, onToggle }: CapabilityCardProps) {
  const { name, description, icon, status, risk } = capability;
  const unusable = status === "coming_soon" && !on;
  return (
    <button
      type="button"
      role="switch"
      aria-checked={on}
      aria-label={name}
      disabled={unusable}
      onClick={onToggle}
      className={cx(
        "flex h-full w-full items-start gap-3 rounded-lg border p-3 text-left transition-colors disabled:opacity-60",
        on ? "border-accent bg-accent-soft" : "border-line hover:border-line-strong",
      )}
    >
      <CapabilityTile name={icon} className={on ? "bg-surface" : ""} />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="font-medium">{name}</span>
          {status !== "available" && (
            <Badge tone="warn">{status === "deprecated" ? "deprecated" : "coming soon"}</Badge>
          )}
          {risk === "high" && <Badge tone="bad">high risk</Badge>}
        </span>
        <span className="mt-0.5 line-clamp-2 text-xs text-ink-soft">{description}</span>
      </span>
    </button>
  );
}
