import type { ReactNode } from "react";
import { cx } from "./cx.ts";

interface PanelProps {
  title?: ReactNode;
  actions?: ReactNode;
  className?: string;
  /** Without inner space, for tables and lists that reach the edge. */
  flush?: boolean;
  children: ReactNode;
}

export function Panel({ title, actions, className, flush = false, children }: PanelProps) {
  return (
    <section className={cx("min-w-0 rounded-xl border border-line bg-surface", className)}>
      {(title || actions) && (
        <header className="flex min-h-12 flex-wrap items-center justify-between gap-x-3 gap-y-2 border-b border-line px-4 py-2">
          <h2 className="min-w-0 flex-1 basis-40 text-sm font-semibold">{title}</h2>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
      )}
      <div className={flush ? undefined : "p-4"}>{children}</div>
    </section>
  );
}
