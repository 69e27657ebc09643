/** A message as a person reads it: its text as text, its calls as a list. The JSON behind it is one click away. */
import { type ReactNode, useState } from "react";
import { Badge, Code } from "../kit/badge.tsx";
import { Button } from "../kit/button.tsx";
import { JsonView, jsonText } from "../kit/json-view.tsx";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { argumentLines, type ReadablePart, readParts } from "./read-parts.ts";

const LONG_CHARS = 4_000; // a longer argument is truncated, with a button for all of it

export function MessageParts({ value, label }: { value: unknown; label: string }) {
  const parts = readParts(value);
  if (!parts) return <JsonView value={value} label={label} />;
  return (
    <OrJson value={value} label={label}>
      {parts.length === 0 && <p className="text-sm text-ink-soft">Nothing was said.</p>}
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no identity but its place
        <Part key={at} part={part} label={label} />
      ))}
    </OrJson>
  );
}

interface OrJsonProps {
  value: unknown;
  label: string;
  children: ReactNode;
}

/** An excerpt of a value, with a button for all of it. */
export function OrJson({ value, label, children }: OrJsonProps) {
  const [isRaw, setRaw] = useState(false);
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {isRaw ? <JsonView value={jsonText(value)} label={label} /> : children}
      <Button
        size="sm"
        look="quiet"
        className="self-start"
        aria-pressed={isRaw}
        aria-label={`JSON of ${label.toLowerCase()}`}
        onClick={() => setRaw(!isRaw)}
      >
        JSON
      </Button>
    </div>
  );
}

function Part({ part, label }: { part: ReadablePart; label: string }) {
  switch (part.kind) {
    case "text":
      return <Text text={part.text} label={label} />;
    case "thought":
      return (
        <div className="border-l-2 border-line pl-3 text-ink-soft">
          <p className="text-xs text-ink-faint">Thought</p>
          <Text text={part.text} label={`${label}: thought`} />
        </div>
      );
    case "call":
      return (
        <Named what="Calls" tool={part.tool}>
          <ArgumentList input={part.input} label={`Arguments of ${part.tool}`} />
        </Named>
      );
    case "result":
      return (
        <Named what="Result of" tool={part.tool} failed={part.failed}>
          <JsonView value={part.value} label={`Result of ${part.tool}`} />
        </Named>
      );
    case "file":
      return <p className="text-sm break-words text-ink-soft">File: {part.name}</p>;
    case "other":
      return <JsonView value={part.value} label={label} />;
  }
}

const Text = ({ text, label }: { text: string; label: string }) => (
  <ScrollRegion label={label} className="max-h-80">
    <p className="text-sm break-words whitespace-pre-wrap">{text}</p>
  </ScrollRegion>
);

interface NamedProps {
  what: string;
  tool: string;
  failed?: boolean;
  children: ReactNode;
}

const Named = ({ what, tool, failed = false, children }: NamedProps) => (
  <div className="flex min-w-0 flex-col gap-1">
    <p className="flex flex-wrap items-center gap-1.5 text-sm text-ink-soft">
      {what} <Code>{tool}</Code>
      {failed && <Badge tone="bad">failed</Badge>}
    </p>
    {children}
  </div>
);

/** Arguments by name, each on a line of its own. */
export function ArgumentList({ input, label }: { input: unknown; label: string }) {
  const lines = argumentLines(input);
  if (!lines || lines.some(({ text }) => text.length > LONG_CHARS))
    return <JsonView value={input} label={label} />;
  if (lines.length === 0) return <p className="text-sm text-ink-faint">No arguments.</p>;
  return (
    <dl aria-label={label} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-sm">
      {lines.map(({ name, text }) => (
        <div key={name} className="contents">
          <dt className="font-mono text-xs leading-5 text-ink-faint">{name}</dt>
          <dd className="break-words whitespace-pre-wrap">{text}</dd>
        </div>
      ))}
    </dl>
  );
}
