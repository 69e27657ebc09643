import type { ReactNode, Ref } from "react";
import { cx } from "./cx.ts";

interface ScrollRegionProps {
  label: string;
  className?: string;
  ref?: Ref<HTMLElement>;
  onScroll?: () => void;
  children: ReactNode;
}

/** A scrollable region: labelled, and focusable, because arrow keys only scroll what has the focus. */
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
