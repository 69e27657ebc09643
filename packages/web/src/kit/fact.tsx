import type { ReactNode } from "react";
import { Code } from "./badge.tsx";

/** One name and value of a definition list. */
export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-faint">{name}</dt>
      <dd className="min-w-0">{children}</dd>
    </>
  );
}

/** Names as code, or the word for none. */
export const codes = (names: readonly string[]): ReactNode =>
  names.length === 0
    ? "none"
    : names.map((name) => (
        <Code key={name} className="mr-1">
          {name}
        </Code>
      ));
