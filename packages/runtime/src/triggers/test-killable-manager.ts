/**
 * A trigger manager as a separate process, for tests and the benchmark: it can be killed, or kill itself at a step.
 * Handling creates `handled/<user>/<id>` exclusively, as starting a session by the trigger's id would; the file's time
 * tells the order. Usage: node test-killable-manager.ts '{"dataDir": ..., "killAt": "claimed", "nth": 3}'
 */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { sessionChannel } from "./channels.ts";
import { type HandledTrigger, type HandleOutcome, TriggerManager } from "./trigger-manager.ts";

const Settings = z.object({
  dataDir: z.string(),
  killAt: z.string().optional(),
  nth: z.int().default(1),
  concurrent: z.int().default(8),
  /** Triggers whose payload says so fail this many times first. */
  pollMs: z.int().default(50),
});

const { dataDir, killAt, nth, concurrent, pollMs } = Settings.parse(JSON.parse(process.argv[2] ?? "{}"));
let left = nth;

const manager = new TriggerManager({
  dataDir,
  concurrent,
  pollMs,
  channels: () => ({ session: sessionChannel }),
  now: Date.now,
  onError: (error) => console.error(error),
  policy: { maxAttempts: 50, firstPauseMs: 20, longestPauseMs: 200 },
  deadAfterMs: 15_000,
  onStep: (step) => {
    if (step !== killAt) return;
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
  },
  handle,
});

async function handle({ trigger, attempt }: HandledTrigger): Promise<HandleOutcome> {
  const failures = Number(trigger.payload?.failures ?? 0);
  if (attempt <= failures) return { ok: false, reason: `attempt ${attempt} of ${failures} that fail` };
  const folder = join(dataDir, "handled", trigger.user);
  mkdirSync(folder, { recursive: true });
  try {
    const file = openSync(join(folder, trigger.id), "wx");
    writeSync(file, trigger.created_at);
    closeSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  return { ok: true, sessionId: trigger.id };
}

process.on("SIGTERM", () => void manager.stop().then(() => process.exit(0)));
await manager.start();
process.stdout.write("ready\n");
