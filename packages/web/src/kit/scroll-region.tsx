import type { ReactNode, Ref } from "react";
import { cx } from "./cx.ts";

interface ScrollRegionProps {
  label: string;
  className?: string;
  ref?: Ref<HTMLElement>;
  onScroll?: () => void;
  children: ReactNode;
}

/** A part that scrolls by itself: named, and reachable by keyboard, because arrow keys scroll only what has the focus. */
export function ScrollRegion({ label, className, ...rest }: ScrollRegionProps) {
  return (
    <section
      {...rest}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className={cx("scroll-quiet overflow-auto", className)}
    />
  );
}
