/** Computes which files a run changed. The sandbox's own system files are neither shown nor returned. */

export type FileMap = ReadonlyMap<string, Uint8Array>;

/** Written, changed and deleted (`null`) files. Paths in `system` existed before the session's files and are ignored. */
export function fileChanges(
  before: FileMap,
  after: FileMap,
  system: ReadonlySet<string> = new Set(),
): Map<string, Uint8Array | null> {
  const changed = new Map<string, Uint8Array | null>();
  for (const [path, content] of after) {
    const was = before.get(path);
    if (was ? !sameBytes(was, content) : !system.has(path)) changed.set(path, content);
  }
  for (const path of before.keys()) if (!after.has(path)) changed.set(path, null);
  return changed;
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.byteLength === right.byteLength && Buffer.compare(left, right) === 0;
}
