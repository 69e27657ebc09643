/** The configuration of a server under chaos, as a separate file: two tools that record every real execution. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const CORE = new URL("../../packages/core/src/index.ts", import.meta.url).href;
const ZOD = import.meta.resolve("zod");

/** Writes `capstan.config.mjs` into the folder the servers are started in; `log` gets a line per execution. */
export function writeChaosConfig(folder: string, log: string): void {
  writeFileSync(
    join(folder, "capstan.config.mjs"),
    `import { appendFileSync } from "node:fs";
import { defineCapability, defineTool, ok } from ${JSON.stringify(CORE)};
import { z } from ${JSON.stringify(ZOD)};
const ran = (text) => appendFileSync(${JSON.stringify(log)}, JSON.stringify({ text, at: Date.now(), pid: process.pid }) + "\\n");
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const input = z.object({ text: z.string() });
export default {
  capabilities: [
    defineCapability({
      id: "chaos",
      name: "Chaos",
      description: "Writes down what it does.",
      tools: [
        defineTool({ name: "note", description: "Writes a note.", writes: "internal", input, run: async ({ text }) => { await pause(50); ran(text); await pause(50); return ok("noted " + text); } }),
        defineTool({ name: "send", description: "Sends, after a yes.", policy: "approve", input, run: async ({ text }) => { ran(text); await pause(30); return ok("sent " + text); } }),
      ],
    }),
  ],
};
`,
  );
}
