/** A formula as MathML, which browsers lay out themselves; KaTeX is loaded when the first one is shown. */
import { useEffect, useRef } from "react";

interface FormulaProps {
  text: string;
  display: boolean;
}

export function Formula({ text, display }: FormulaProps) {
  const place = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    let current = true;
    import("katex").then(
      ({ default: katex }) => {
        if (!current || !place.current) return;
        katex.render(text, place.current, { output: "mathml", displayMode: display, throwOnError: false });
      },
      () => {}, // the source stays readable
    );
    return () => {
      current = false;
    };
  }, [text, display]);
  // The key makes a fresh element for a changed text: KaTeX owns what is inside.
  return (
    <span key={text} ref={place} className={display ? "block overflow-x-auto py-1 text-center" : undefined}>
      {text}
    </span>
  );
}
