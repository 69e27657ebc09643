import { cx } from "../kit/cx.ts";

/** A capstan from above: the drum, and the bars that sailors push. */
export function CapstanMark({ className }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={cx("shrink-0 text-accent", className)} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="currentColor" />
      <g className="stroke-on-accent" strokeWidth="2.4" strokeLinecap="round" fill="none">
        <circle cx="16" cy="16" r="4.2" />
        <path d="M16 5.5v6.3M16 20.2v6.3M5.5 16h6.3M20.2 16h6.3" />
        <path d="M8.6 8.6l2.2 2.2M21.2 21.2l2.2 2.2M23.4 8.6l-2.2 2.2M10.8 21.2l-2.2 2.2" opacity=".55" />
      </g>
    </svg>
  );
}
