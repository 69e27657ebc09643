/**
 * The limit on open files, checked before anything is opened: with too few, each part fails differently, and none of
 * them names the cause. Below about 24 Node itself does not start.
 */
import { fail, ok, type Result } from "@capstan/core";
import { openFilesLimit } from "@capstan/runtime";

const NEEDED = 128; // measured: 77 with the embedded store, which takes half of the limit; then connections

/** Where the system tells nothing, the store reports what it runs out of. */
export function checkOpenFiles(limit = openFilesLimit()): Result<void> {
  return limit === undefined || limit >= NEEDED
    ? ok(undefined)
    : fail("open_files_few", { limit, needed: NEEDED });
}
