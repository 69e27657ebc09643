import type { CapabilitySummary } from "@capstan/client";
import { useSortable } from "@dnd-kit/sortable";
import GripVertical from "lucide-react/icons/grip-vertical";
import SlidersHorizontal from "lucide-react/icons/sliders-horizontal";
import X from "lucide-react/icons/x";
import { useState } from "react";
import { SchemaForm } from "../../forms/schema-form.tsx";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button, IconButton } from "../../kit/button.tsx";
import { CapabilityIcon } from "../../kit/capability-icon.tsx";
import { cx } from "../../kit/cx.ts";
import { Field, TextInput } from "../../kit/field.tsx";
import { amount } from "../../kit/words.ts";
import { useCapability } from "../../server/reads.ts";
import { type DraftCapability, type Flagged, suggestedPrefix } from "./agent-draft.ts";
import { VersionChoice } from "./version-choice.tsx";

interface CapabilityRowProps {
  entry: DraftCapability;
  summary: CapabilitySummary | undefined;
  tokens: number | undefined;
  fault: Flagged["fault"];
  onChange: (entry: DraftCapability | undefined) => void;
}

export function CapabilityRow({ entry, summary, tokens, fault, onChange }: CapabilityRowProps) {
  const [open, setOpen] = useState(false);
  const { attributes, listeners, setNodeRef, transform, transition, isDragging } = useSortable({
    id: entry.id,
  });
  const name = summary?.name ?? entry.id;
  const style = {
    transform: transform ? `translate3d(0, ${transform.y}px, 0)` : undefined,
    transition,
  };
  const shown = open || fault !== undefined;
  return (
    <li
      ref={setNodeRef}
      style={style}
      className={cx("bg-surface", isDragging && "relative z-10 shadow-float")}
    >
      <div className={cx("flex items-center gap-2 py-2 pr-3 pl-1", fault && "bg-bad-soft")}>
        <button
          type="button"
          {...attributes}
          {...listeners}
          aria-label={`Move ${name}`}
          className="flex size-8 cursor-grab touch-none items-center justify-center rounded-lg text-ink-faint hover:text-ink"
        >
          <GripVertical className="size-4" aria-hidden />
        </button>
        <CapabilityIcon name={summary?.icon} className="text-accent-ink" />
        <span className="min-w-0 flex-1 truncate font-medium">
          {name} {entry.prefix && <Code className="font-normal">{entry.prefix}</Code>}
        </span>
        {entry.version && <Badge title={pinTitle(entry.version, summary?.version)}>{entry.version}</Badge>}
        {tokens !== undefined && (
          <Badge title="Tokens added to every model call">
            <span className="numbers">{amount(tokens)}</span> tokens
          </Badge>
        )}
        <IconButton label={`Options of ${name}`} aria-expanded={shown} onClick={() => setOpen(!open)}>
          <SlidersHorizontal className="size-4" aria-hidden />
        </IconButton>
        <IconButton label={`Remove ${name}`} onClick={() => onChange(undefined)}>
          <X className="size-4" aria-hidden />
        </IconButton>
      </div>
      {shown && <Options entry={entry} fault={fault} onChange={onChange} />}
    </li>
  );
}

const pinTitle = (pin: string, registered: string | undefined): string =>
  registered === undefined || registered === pin
    ? "Pinned to this version"
    : `Pinned to this version; ${registered} is registered`;

interface OptionsProps {
  entry: DraftCapability;
  fault: Flagged["fault"];
  onChange: (entry: DraftCapability) => void;
}

function Options({ entry, fault, onChange }: OptionsProps) {
  const detail = useCapability(entry.id).data;
  const suggestion = suggestedPrefix(entry.id);
  return (
    <div className="flex flex-col gap-4 border-t border-line bg-sunken/50 p-4 pl-11">
      <Field
        label="Prefix of its tools"
        hint="Prepended to each tool name. Use it when two capabilities have tools with the same name."
        error={
          fault === "conflict"
            ? "Another capability has a tool with the same name. Give one of them a prefix."
            : undefined
        }
      >
        {(control) => (
          <div className="flex gap-2">
            <TextInput
              {...control}
              className="max-w-56"
              value={entry.prefix ?? ""}
              onChange={({ target }) => onChange({ ...entry, prefix: target.value })}
            />
            {!entry.prefix && (
              <Button onClick={() => onChange({ ...entry, prefix: suggestion })}>Use “{suggestion}”</Button>
            )}
          </div>
        )}
      </Field>
      <VersionChoice entry={entry} onChange={onChange} />
      {fault === "config" && (
        <p className="text-xs text-bad">Its options do not fit yet; the preview says where.</p>
      )}
      {detail?.config_schema && (
        <SchemaForm
          schema={detail.config_schema}
          value={entry.config ?? {}}
          onChange={(config) => onChange({ ...entry, config })}
        />
      )}
    </div>
  );
}
