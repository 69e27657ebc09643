import type { ReactNode } from "react";
import { cx } from "./cx.ts";

export type Tone = "plain" | "accent" | "good" | "warn" | "bad" | "thought";

const TONES: Record<Tone, string> = {
  plain: "bg-sunken text-ink-soft",
  accent: "bg-accent-soft text-accent-ink",
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  thought: "bg-thought-soft text-thought",
};

interface BadgeProps {
  tone?: Tone;
  title?: string | undefined;
  className?: string;
  children: ReactNode;
}

export function Badge({ tone = "plain", title, className, children }: BadgeProps) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex items-center gap-1 rounded-md px-1.5 py-0.5 text-xs font-medium whitespace-nowrap",
        TONES[tone],
        className,
      )}
    >
      {children}
    </span>
  );
}

/** A tool name, an id, a scope: an identifier. */
export function Code({ children, className }: { children: ReactNode; className?: string }) {
  return (
    <code className={cx("rounded-sm bg-sunken px-1 py-0.5 font-mono text-xs text-ink-soft", className)}>
      {children}
    </code>
  );
}
