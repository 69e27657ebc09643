/** Which rows of a long grid are visible inside the nearest scrolling parent; the others are not rendered. */
import { useLayoutEffect, useRef, useState } from "react";

interface WindowedOptions {
  readonly rowPx: number;
  /** The minimum width of a column. */
  readonly columnPx: number;
}

const MORE_ROWS = 3; // above and below, so that quick scrolling shows no gap

export function useWindowedRows(count: number, { rowPx, columnPx }: WindowedOptions) {
  const frame = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState({ columns: 1, first: 0, last: 12 });
  const rowCount = Math.ceil(count / place.columns);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return;
    const scroller = scrollingParent(element);
    const measure = () => {
      const { top } = element.getBoundingClientRect();
      const view = scroller.getBoundingClientRect();
      const columns = Math.max(1, Math.floor(element.clientWidth / columnPx));
      const first = Math.max(0, Math.floor((view.top - top) / rowPx) - MORE_ROWS);
      const last = Math.ceil((view.bottom - top) / rowPx) + MORE_ROWS;
      setPlace((before) =>
        before.columns === columns && before.first === first && before.last === last
          ? before
          : { columns, first, last },
      );
    };
    measure();
    const watcher = new ResizeObserver(measure);
    watcher.observe(element);
    watcher.observe(scroller);
    scroller.addEventListener("scroll", measure, { passive: true });
    return () => {
      watcher.disconnect();
      scroller.removeEventListener("scroll", measure);
    };
  }, [rowPx, columnPx]);

  const shown = Math.max(0, Math.min(rowCount, place.last) - place.first);
  const rows = Array.from({ length: shown }, (_, index) => {
    const row = place.first + index;
    return { row, startPx: row * rowPx };
  });
  return { frame, columns: place.columns, rows, totalPx: rowCount * rowPx };
}

function scrollingParent(element: HTMLElement): HTMLElement {
  for (let parent = element.parentElement; parent; parent = parent.parentElement) {
    if (/auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  }
  return document.documentElement;
}
