/** The session files that a run can access: all, or the named files and everything below the named directories. */
import { fail, ok, type Result, type SessionFileStore } from "@capstan/core";

export async function mountFiles(
  fileStore: SessionFileStore | undefined,
  names: readonly string[] | undefined,
): Promise<Result<Map<string, Uint8Array>>> {
  if (!fileStore) return ok(new Map());
  if (!names) return fileStore.all();
  const mounted = new Map<string, Uint8Array>();
  const open = [...names];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const found = await fileStore.stat(path);
    if (!found.ok) return found;
    if (!found.value) return fail("file_not_found", { path });
    const added = found.value.isDirectory
      ? await openDirectory(fileStore, found.value.path, open)
      : await addFile(fileStore, found.value.path, mounted);
    if (!added.ok) return added;
  }
  return ok(mounted);
}

async function openDirectory(
  fileStore: SessionFileStore,
  path: string,
  open: string[],
): Promise<Result<void>> {
  const entries = await fileStore.list(path);
  if (!entries.ok) return entries;
  open.push(...entries.value.map((entry) => entry.path));
  return ok(undefined);
}

async function addFile(
  fileStore: SessionFileStore,
  path: string,
  mounted: Map<string, Uint8Array>,
): Promise<Result<void>> {
  const content = await fileStore.read(path);
  if (!content.ok) return content;
  mounted.set(path, content.value);
  return ok(undefined);
}
