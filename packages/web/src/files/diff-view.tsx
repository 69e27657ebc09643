/** A file's change as a unified diff; colours and signs carry the same information. */
import { Badge, Code } from "../kit/badge.tsx";
import { cx } from "../kit/cx.ts";

interface DiffViewProps {
  path: string;
  change: string;
  diff: string | null;
  /** Shown without a click. */
  open?: boolean;
}

export function DiffView({ path, change, diff, open = false }: DiffViewProps) {
  return (
    <details open={open} className="rounded-lg border border-line">
      <summary className="flex items-center gap-2 px-3 py-2 text-xs">
        <Code className="truncate">{path}</Code>
        <Badge>{change}</Badge>
      </summary>
      {diff === null ? (
        <p className="px-3 pb-2 text-xs text-ink-soft">Not shown: the file is binary or too long.</p>
      ) : (
        <pre className="scroll-quiet max-h-96 overflow-auto border-t border-line p-3 font-mono text-xs">
          {diff.split("\n").map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff have no other name
            <span key={index} className={cx("block", TONES[line[0] ?? ""])}>
              {line}
            </span>
          ))}
        </pre>
      )}
    </details>
  );
}

const TONES: Record<string, string> = {
  "+": "bg-good-soft text-good",
  "-": "bg-bad-soft text-bad",
  "@": "text-ink-faint",
};
