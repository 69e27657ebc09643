/**
 * `npm start`. It does two things before the server is loaded, because they cannot be done after: it is the only one
 * who reads the environment, and it lets Node keep compiled code, so that the next start need not compile it again.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

const SETTLED_MS = 3000; // when nobody waits for the start any more; a process that is killed before writes no cache

// Beside the code, not in the data folder or a temporary one: whoever can write here can change the code itself.
enableCompileCache(join(import.meta.dirname, "../.cache"));
const { runServer } = await import("./start/run-server.ts");
const { releaseStartMemory } = await import("./start/release-start-memory.ts");
await runServer(process.env);
setTimeout(() => {
  flushCompileCache();
  void releaseStartMemory();
}, SETTLED_MS).unref();
