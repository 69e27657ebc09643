/** What the agent changed in a file: the version before its last write next to the current one. */
import type { Entry } from "../conversation/entries.ts";
import { parsed } from "../conversation/tool-result.ts";
import { isObject } from "../forms/schema-fields.ts";
import { cx } from "../kit/cx.ts";
import { ScrollRegion } from "../kit/scroll-region.tsx";
import { count } from "../kit/words.ts";
import { type DiffLine, lineDiff } from "./line-diff.ts";

/** What calls with a path and a content wrote to this path, whichever tool it was, oldest first. */
export function versionsOf(path: string, entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) => {
    if (entry.kind !== "tool" || !entry.result || entry.result.failed) return [];
    const given = entry.edited ?? parsed(entry.argumentsText);
    if (!isObject(given) || typeof given.path !== "string" || typeof given.content !== "string") return [];
    return normal(given.path) === normal(path) ? [given.content] : [];
  });
}

const normal = (path: string): string => `/${path.replace(/^(\.?\/)+/, "")}`;

const SIGNS: Record<DiffLine["kind"], string> = { same: " ", gone: "-", new: "+" };
const COLORS: Record<DiffLine["kind"], string> = {
  same: "text-ink-soft",
  gone: "bg-bad-soft text-bad",
  new: "bg-good-soft text-good",
};
const CONTEXT = 3; // unchanged lines around a change

export function FileChanges({ before, after, label }: { before: string; after: string; label: string }) {
  const lines = lineDiff(before, after);
  const many = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return (
    <div className="flex flex-col gap-2">
      <p className="text-xs text-ink-faint">
        {count(many("new"), "line")} added, {count(many("gone"), "line")} removed
      </p>
      <ScrollRegion label={`Changes of ${label}`} className="max-h-[60dvh] rounded-lg bg-sunken">
        <pre className="py-2 text-xs leading-5">
          {shownLines(lines).map(({ line, at }) =>
            line ? (
              <span key={at} className={cx("block px-3 whitespace-pre-wrap", COLORS[line.kind])}>
                {SIGNS[line.kind]} {line.text}
              </span>
            ) : (
              <span key={at} className="block px-3 text-ink-faint">
                …
              </span>
            ),
          )}
        </pre>
      </ScrollRegion>
    </div>
  );
}

/** Changed lines with a little around them; a gap is one row without a line. */
function shownLines(lines: readonly DiffLine[]): { at: number; line?: DiffLine }[] {
  const near = new Set(
    lines.flatMap(({ kind }, at) =>
      kind === "same" ? [] : Array.from({ length: 2 * CONTEXT + 1 }, (_, step) => at - CONTEXT + step),
    ),
  );
  return lines.flatMap((line, at) => {
    if (near.has(at)) return [{ at, line }];
    return near.has(at - 1) || at === 0 ? [{ at }] : [];
  });
}
