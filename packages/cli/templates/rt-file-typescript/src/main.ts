/** Starts the service: polls every POLL_INTERVAL seconds until SIGTERM. */
import { mkdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { foldersOf, openState, poll } from "./service.ts";

const { HOME = "/home/agentaech", TRIGGER_OUTBOX = "/triggers/outbox", DELEGATED_USER = "" } = process.env;
const { POLL_INTERVAL = "60", KEEP_DAYS = "30" } = process.env;
if (!DELEGATED_USER) {
  console.error("error: DELEGATED_USER is not set");
  process.exit(1);
}

const folders = foldersOf(HOME, TRIGGER_OUTBOX);
for (const folder of [folders.incoming, folders.outbox]) mkdirSync(folder, { recursive: true });
const state = openState(folders);
const stopped = new AbortController();
for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stopped.abort());

console.log(`TEMPLATE_SERVICE works for ${DELEGATED_USER}, polling every ${POLL_INTERVAL} s`);
while (!stopped.signal.aborted) {
  poll(state, { folders, user: DELEGATED_USER, keepDays: Number(KEEP_DAYS), now: new Date() });
  await wait(Number(POLL_INTERVAL) * 1000, undefined, { signal: stopped.signal }).catch(() => {});
}
state.close();
console.log("stopped");
