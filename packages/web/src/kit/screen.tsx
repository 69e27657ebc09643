import { type ReactNode, useEffect } from "react";
import { usePendingApprovals } from "../server/use-status.ts";
import { cx } from "./cx.ts";

interface ScreenProps {
  title: string;
  /** The browser tab's title, if it differs from the visible one. */
  tabTitle?: string;
  lead?: ReactNode;
  actions?: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

/** A screen's frame: title, a one-line description, actions, content. */
export function Screen({ title, tabTitle, lead, actions, wide = false, children }: ScreenProps) {
  useTabTitle(tabTitle ?? title);
  return (
    <div className="scroll-quiet h-full overflow-y-auto">
      <div
        className={cx(
          "mx-auto flex flex-col gap-5 px-4 py-5 md:px-8 md:py-7",
          wide ? "max-w-7xl" : "max-w-5xl",
        )}
      >
        <header className="flex flex-wrap items-start justify-between gap-3">
          <div className="min-w-0">
            <h1 className="text-xl font-semibold tracking-tight">{title}</h1>
            {lead && <p className="mt-1 max-w-2xl text-ink-soft">{lead}</p>}
          </div>
          {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
        </header>
        {children}
      </div>
    </div>
  );
}

/** The number of pending approvals precedes the title, so that a background tab shows it too. */
export function useTabTitle(title: string): void {
  const waiting = usePendingApprovals().data?.items.length ?? 0;
  useEffect(() => {
    document.title = `${waiting > 0 ? `(${waiting}) ` : ""}${title} · Capstan`;
  }, [title, waiting]);
}
