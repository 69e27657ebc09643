import { useCallback, useState } from "react";

const FIRST_WIDTH = 640; // until it is measured

/** One unit of a drawing is one pixel, so that text keeps its size at every width. */
export function useWidth(least: number): [number, (node: HTMLElement | null) => (() => void) | undefined] {
  const [width, setWidth] = useState(FIRST_WIDTH);
  const measure = useCallback(
    (node: HTMLElement | null) => {
      if (!node) return undefined;
      const observer = new ResizeObserver(([entry]) =>
        setWidth(Math.max(least, Math.round(entry?.contentRect.width ?? FIRST_WIDTH))),
      );
      observer.observe(node);
      return () => observer.disconnect();
    },
    [least],
  );
  return [width, measure];
}
