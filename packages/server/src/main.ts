/**
 * `npm start`. Does two things that must happen before the server is loaded: it is the only place that
 * reads the environment, and it enables Node's compile cache, so that the next start need not compile again.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

const SETTLED_MS = 3000; // after startup; a process killed earlier writes no cache

// Next to the code, not in the data folder or a temporary one: whoever can write here can change the code itself.
enableCompileCache(join(import.meta.dirname, "../.cache"));
const { runServer } = await import("./start/run-server.ts");
const settle = await runServer(process.env);
setTimeout(() => {
  flushCompileCache();
  void settle();
}, SETTLED_MS).unref();
