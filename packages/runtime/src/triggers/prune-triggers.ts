/** Deletes old settled triggers: done, deduped and dropped ones, and the keys that identify duplicates. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { isCapabilityFolder, STATE_FOLDERS } from "./trigger-names.ts";

const PRUNED = [STATE_FOLDERS.done, STATE_FOLDERS.deduped, STATE_FOLDERS.dropped, "_dedupe"];

export async function pruneTriggers(root: string, olderThanMs: number): Promise<number> {
  let pruned = 0;
  for (const capability of (await readdir(root).catch(() => [])).filter(isCapabilityFolder)) {
    for (const state of PRUNED) {
      const folder = join(root, capability, state);
      for (const name of await readdir(folder).catch(() => [])) {
        const path = join(folder, name);
        // The change time: a rename sets it, so it is when the trigger arrived here.
        const about = await stat(path).catch(() => undefined);
        if (!about || about.ctimeMs >= olderThanMs) continue;
        await rm(path, { force: true });
        pruned += 1;
      }
    }
  }
  return pruned;
}
