/**
 * Releases memory that only the start needed. V8 keeps its young generation as large as loading the modules made
 * it (128 MB) and shrinks it only in an explicit garbage collection; Node's only way to trigger one is V8's `gc`.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Pauses the process once for about 0.1 s. */
export async function releaseStartMemory(): Promise<void> {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function")
    await collect({ type: "major", execution: "async", flavor: "last-resort" });
}
