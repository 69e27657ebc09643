/** The differences between two sets of files, as unified diffs if both sides are text. */
import type { FileChange } from "@capstan/client/wire";

const MOST_DIFF_CHARS = 200_000; // of each side; a longer file is named only
const MOST_DIFFS = 100;
const CONTEXT_LINES = 3;
const MOST_EDITS = 20_000; // the algorithm's time grows with the edits; beyond this a file is named only

export type Files = ReadonlyMap<string, Uint8Array>;

type Patch = typeof import("diff").createTwoFilesPatch;

export async function fileChanges(before: Files, after: Files): Promise<FileChange[]> {
  const { createTwoFilesPatch } = await import("diff");
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  const changed = paths.filter((path) => !isSame(before.get(path), after.get(path)));
  return changed.map((path, index) => {
    const [was, is] = [before.get(path), after.get(path)];
    const change = was === undefined ? "added" : is === undefined ? "removed" : "changed";
    return { path, change, diff: index < MOST_DIFFS ? diffOf(createTwoFilesPatch, path, was, is) : null };
  });
}

const isSame = (one: Uint8Array | undefined, other: Uint8Array | undefined): boolean =>
  one !== undefined && other !== undefined && Buffer.compare(one, other) === 0;

function diffOf(
  patchOf: Patch,
  path: string,
  was: Uint8Array | undefined,
  is: Uint8Array | undefined,
): string | null {
  const before = textOf(was);
  const after = textOf(is);
  if (before === undefined || after === undefined) return null;
  const options = { context: CONTEXT_LINES, maxEditLength: MOST_EDITS };
  const [from, to] = [was ? `a${path}` : "/dev/null", is ? `b${path}` : "/dev/null"];
  const patch = patchOf(from, to, before, after, undefined, undefined, options);
  return patch?.replace(/^=+\n/, "") ?? null; // the library's own ruler, which git does not draw
}

const decoder = new TextDecoder("utf-8", { fatal: true });

/** An empty file counts as text. */
function textOf(bytes: Uint8Array = new Uint8Array()): string | undefined {
  if (bytes.byteLength > MOST_DIFF_CHARS || bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}
