/**
 * Keeps some of the disk free for the embedded store: when its log cannot grow, PGlite stops for good in the middle of
 * a statement. Requests that write are refused before that, with the reason, and again taken once there is room.
 */
import { statfs } from "node:fs/promises";
import { fail } from "@capstan/core";
import type { MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

const LOOK_AGAIN_MS = 250; // a look costs a system call; a request must not pay for its own
const READS = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]); // deleting is how room is made

export function guardDisk({
  folder,
  reserveBytes,
}: {
  folder: string;
  reserveBytes: number;
}): MiddlewareHandler {
  let looked = Number.NEGATIVE_INFINITY;
  let free: Promise<number> = Promise.resolve(Number.POSITIVE_INFINITY);
  return async (c, next) => {
    if (READS.has(c.req.method)) return next();
    if (performance.now() - looked > LOOK_AGAIN_MS) {
      looked = performance.now();
      free = freeBytes(folder);
    }
    const freeNow = await free;
    if (freeNow >= reserveBytes) return next();
    return problem(c, fail("storage_full", { freeBytes: freeNow, reserveBytes }).failure);
  };
}

/** A file system that cannot be asked is not taken for a full one. */
const freeBytes = (folder: string): Promise<number> =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
