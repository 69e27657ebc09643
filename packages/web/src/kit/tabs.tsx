import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef } from "react";
import { cx } from "./cx.ts";

export interface Tab<Name extends string> {
  readonly name: Name;
  readonly label: ReactNode;
}

interface TabsProps<Name extends string> {
  label: string;
  tabs: readonly Tab<Name>[];
  current: Name;
  onChange: (name: Name) => void;
  /** Content at the right end of the row. */
  aside?: ReactNode;
  fill?: boolean;
  children: ReactNode;
}

const STEPS: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1 };

/** Scrolls the row so that the chosen tab is centred: on a phone it may be out of view. */
const placeOf = (tab: HTMLElement, row: HTMLElement): number =>
  tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;

export function Tabs<Name extends string>(props: TabsProps<Name>) {
  const { label, tabs, current, onChange, aside, fill = false, children } = props;
  const id = useId();
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>(`[data-tab="${current}"]`);
    if (row.current && tab) row.current.scrollLeft = placeOf(tab, row.current);
  }, [current]);
  const move = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    const at = tabs.findIndex(({ name }) => name === current);
    const next = step === undefined ? undefined : tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    onChange(next.name);
    row.current?.querySelector<HTMLElement>(`[data-tab="${next.name}"]`)?.focus();
  };
  return (
    <div className={cx("flex min-w-0 flex-col", fill && "h-full min-h-0")}>
      <div className="flex items-end justify-between gap-3 border-b border-line">
        <div
          ref={row}
          role="tablist"
          aria-label={label}
          onKeyDown={move}
          className="-mb-px flex min-w-0 gap-1 overflow-x-auto"
        >
          {tabs.map(({ name, label: text }) => (
            <button
              key={name}
              type="button"
              role="tab"
              data-tab={name}
              id={`${id}-${name}`}
              aria-selected={name === current}
              aria-controls={`${id}-panel`}
              tabIndex={name === current ? 0 : -1}
              onClick={() => onChange(name)}
              className={cx(
                "border-b-2 px-3 py-2 text-sm font-medium whitespace-nowrap -outline-offset-2",
                name === current
                  ? "border-accent text-ink"
                  : "border-transparent text-ink-soft hover:text-ink",
              )}
            >
              {text}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-${current}`}
        className={cx("min-w-0", fill ? "min-h-0 flex-1" : "pt-4")}
      >
        {children}
      </div>
    </div>
  );
}
