/** A value as JSON: short ones in full, long ones truncated with a button, to keep the DOM small. */
import { useState } from "react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { cx } from "./cx.ts";
import { ScrollRegion } from "./scroll-region.tsx";

const SHOWN_CHARS = 4_000; // two screens; a tool may answer with megabytes

export const jsonText = (value: unknown): string =>
  typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "undefined");

interface JsonViewProps {
  value: unknown;
  label: string;
  className?: string;
}

export function JsonView({ value, label, className }: JsonViewProps) {
  const [whole, setWhole] = useState(false);
  const text = jsonText(value);
  const shown = whole ? text : text.slice(0, SHOWN_CHARS);
  return (
    <div className={cx("group relative min-w-0 rounded-lg bg-sunken", className)}>
      <ScrollRegion label={label} className="max-h-80 rounded-lg">
        <pre className="p-3 pr-10 text-xs leading-5 whitespace-pre-wrap">
          {shown}
          {shown.length < text.length && "…"}
        </pre>
      </ScrollRegion>
      <div className="absolute top-1 right-1 opacity-60 group-hover:opacity-100 focus-within:opacity-100">
        <CopyButton text={text} label={`Copy ${label.toLowerCase()}`} />
      </div>
      {shown.length < text.length && (
        <Button size="sm" look="quiet" className="m-1" onClick={() => setWhole(true)}>
          Show all {Math.round(text.length / 1000)}k characters
        </Button>
      )}
    </div>
  );
}
