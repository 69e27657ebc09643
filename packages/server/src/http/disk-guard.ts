/**
 * Keeps some disk space free for the embedded store: when its log cannot grow, PGlite stops permanently during
 * a statement. Requests that write are refused before that, with the reason, until there is space again.
 */
import { statfs } from "node:fs/promises";
import { fail } from "@capstan/core";
import type { MiddlewareHandler } from "hono";
import { problem } from "./problem.ts";

const LOOK_AGAIN_MS = 250; // a check costs a system call, so it is not made per request
const READS = new Set(["GET", "HEAD", "OPTIONS", "DELETE"]); // deleting frees space

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

/** A file system without statistics is not treated as full. */
const freeBytes = (folder: string): Promise<number> =>
  statfs(folder).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Number.POSITIVE_INFINITY,
  );
