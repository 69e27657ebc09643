/** A long list that only renders visible rows: 10,000 events cost as much as 30. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type ReactNode, useRef } from "react";
import { cx } from "./cx.ts";
import { ScrollRegion } from "./scroll-region.tsx";

interface VirtualRowsProps<T> {
  label: string;
  items: readonly T[];
  keyOf: (item: T) => string | number;
  estimatePx: number;
  className?: string;
  children: (item: T, index: number) => ReactNode;
}

export function VirtualRows<T>({
  label,
  items,
  keyOf,
  estimatePx,
  className,
  children,
}: VirtualRowsProps<T>) {
  const frame = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => frame.current,
    estimateSize: () => estimatePx,
    getItemKey: (index) => {
      const item = items[index];
      return item === undefined ? index : keyOf(item);
    },
    overscan: 8,
  });
  return (
    <ScrollRegion ref={frame} label={label} className={cx("overflow-x-hidden", className)}>
      <ul className="relative w-full" style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ key, index, start }) => {
          const item = items[index];
          return (
            <li
              key={key}
              data-index={index}
              ref={rows.measureElement}
              aria-setsize={items.length}
              aria-posinset={index + 1}
              className="absolute top-0 left-0 w-full"
              style={{ transform: `translateY(${start}px)` }}
            >
              {item !== undefined && children(item, index)}
            </li>
          );
        })}
      </ul>
    </ScrollRegion>
  );
}
