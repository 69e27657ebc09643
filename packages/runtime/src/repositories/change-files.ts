/** The files of a change, as reported by git: names, line counts, and the diff of each as text. Pure. */

export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "changed" | "removed";
  /** Its type after the change, or before it if removed. */
  readonly kind: "file" | "link" | "submodule";
  /** Absent: not text. */
  readonly additions?: number;
  readonly deletions?: number;
  /** Null: no text, or too long. */
  readonly diff: string | null;
}

export interface ToldChange {
  /** `git diff --raw -z` */
  readonly raw: string;
  /** `git diff --numstat -z` */
  readonly counts: string;
  /** `git diff`, of the same trees in the same order. */
  readonly patch: string;
  /** Whether the patch is only the beginning. */
  readonly isCut: boolean;
}

const MOST_DIFF_CHARS = 200_000; // of one file
const CHANGES: Readonly<Record<string, ChangedFile["change"]>> = { A: "added", D: "removed" };
const KINDS: Readonly<Record<string, ChangedFile["kind"]>> = { "120000": "link", "160000": "submodule" };

export function changedFiles({ raw, counts, patch, isCut }: ToldChange): ChangedFile[] {
  const lines = linesOf(counts);
  const diffs = diffsOf(patch, isCut);
  return entriesOf(raw).map(({ path, change, kind, diffCount }) => ({
    path,
    change,
    kind,
    ...lines.get(path),
    diff: shown(diffs.splice(0, diffCount), diffCount),
  }));
}

interface Entry extends Pick<ChangedFile, "path" | "change" | "kind"> {
  /** A file that became a link has two: the removed file and the added link. */
  readonly diffCount: number;
}

/** `:100644 120000 <before> <after> M`, then the path. */
function entriesOf(raw: string): Entry[] {
  const told = raw.split("\0");
  const entries: Entry[] = [];
  for (let at = 0; at + 1 < told.length; at += 2) {
    const [before = "", after = "", , , status = ""] = (told[at] ?? "").slice(1).split(" ");
    const mode = status === "D" ? before : after;
    entries.push({
      path: told[at + 1] ?? "",
      change: CHANGES[status] ?? "changed",
      kind: KINDS[mode] ?? "file",
      diffCount: status === "T" ? 2 : 1,
    });
  }
  return entries;
}

function linesOf(counts: string): Map<string, { additions: number; deletions: number }> {
  const lines = new Map<string, { additions: number; deletions: number }>();
  for (const line of counts.split("\0").filter(Boolean)) {
    const [added = "", deleted = "", ...path] = line.split("\t");
    if (added === "-") continue; // binary
    lines.set(path.join("\t"), { additions: Number(added), deletions: Number(deleted) });
  }
  return lines;
}

/** Lines of a file begin with a sign, so this one starts the next file. The last file of a truncated patch is dropped. */
function diffsOf(patch: string, isCut: boolean): string[] {
  const diffs = patch.split(/^(?=diff --git )/m).filter((diff) => diff.startsWith("diff --git "));
  return isCut ? diffs.slice(0, -1) : diffs;
}

function shown(diffs: readonly string[], count: number): string | null {
  const diff = diffs.join("");
  const isWhole = diffs.length === count && diff.length <= MOST_DIFF_CHARS;
  return isWhole && !/^Binary files .* differ$/m.test(headOf(diff)) ? diff : null;
}

const headOf = (diff: string): string => diff.split(/^@@ /m, 1)[0] ?? "";
