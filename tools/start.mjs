/**
 * `npm start`. JavaScript, because it must run on a Node that is too old for the rest, to say so; and because a start that
 * finds its code compiled by an earlier one then needs no TypeScript compiler, which takes 0.1 s and 18 MB.
 */
import { fileURLToPath } from "node:url";
import { refuseOldNode } from "./node-version.mjs";

refuseOldNode();
const { enableCompileCache } = await import("node:module");
enableCompileCache(fileURLToPath(new URL("../packages/server/.cache", import.meta.url)));
await import("./start.ts");
