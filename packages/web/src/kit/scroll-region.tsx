import type { ReactNode, Ref } from "react";
import { cx } from "./cx.ts";

interface ScrollRegionProps {
  label: string;
  className?: string;
  ref?: Ref<HTMLDivElement>;
  onScroll?: () => void;
  children: ReactNode;
}

/**
 * A scrollable area: labelled, and focusable, because arrow keys only scroll what has the focus. A group and no region:
 * a chat has many code blocks, and the list of a page's regions would name each.
 */
export function ScrollRegion({ label, className, ...rest }: ScrollRegionProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls
    <div
      {...rest}
      role="group"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: see above
      tabIndex={0}
      className={cx("scroll-quiet overflow-auto", className)}
    />
  );
}
