/**
 * Both patterns of real-time capabilities, started by one command, without Docker: an inbox assistant that works on
 * files and writes triggers, and a helpdesk with an HTTP API and Postgres. A mail arrives, the trigger manager picks it
 * up, the agent reads and approves the draft, and the service sends it. Every call goes through the gate.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { agentSpec, CapabilityRegistry, compose, fail, type Result, type ToolContext } from "@capstan/core";
import { createGate, openDatabase, openPackages, sessionChannel, TriggerManager } from "@capstan/runtime";

const user = "user@example.com";
const dataDir = mkdtempSync(join(tmpdir(), "capstan-real-time-"));
const folder = (name: string) => fileURLToPath(new URL(`./packages/${name}`, import.meta.url));

const registry = new CapabilityRegistry();
const database = value(await openDatabase({ dataDir }));
const packages = await openPackages({
  dataDir,
  database,
  registry,
  lockPath: join(dataDir, "capstan.lock"),
  toolEnvironment: { PATH: process.env.PATH ?? "" },
  fetch: async (url) => fail("url_invalid", { url }),
  onError: console.error,
  now: () => new Date(),
});

for (const name of ["aech-rt-inbox-assistant", "aech-rt-helpdesk"]) {
  const { record } = value(await packages.install({ source: folder(name) }, { user, accept: true }));
  console.log(
    `installed ${record.name} ${record.version}: ${record.description.tools.map((tool) => tool.name).join(", ")}`,
  );
  if (!existsSync(join(folder(name), ".env")))
    copyFileSync(join(folder(name), ".env.example"), join(folder(name), ".env"));
}

put(
  join(dataDir, "users", user, "capabilities", "inbox-assistant", "mail"),
  "1.eml",
  "From: Ann <ann@x.org>\nSubject: Project update\n\nHow is the project?\n",
);
put(
  join(dataDir, "app_context", "helpdesk", "incoming"),
  "1.json",
  '[{"id":"T-12345","title":"Network issue","body":"The printer is offline."}]',
);
for (const name of ["aech-rt-inbox-assistant", "aech-rt-helpdesk"])
  value(await packages.services.start(folder(name)));

const told = Promise.withResolvers<string>();
const triggers = new TriggerManager({
  dataDir,
  channels: () => ({ session: sessionChannel }),
  now: Date.now,
  onError: console.error,
  handle: async ({ trigger }) => {
    console.log(`trigger ${trigger.type}: ${JSON.stringify(trigger.payload)}`);
    told.resolve(String(trigger.payload?.draft_id));
    return { ok: true, sessionId: trigger.id };
  },
});
await triggers.start();

const draft = await told.promise;
console.log("drafts:", await call("inbox-assistant_list-drafts", {}, ["Mail.Read"]));
console.log("without Mail.Send:", await call("inbox-assistant_approve", { draft_id: draft }, ["Mail.Read"]));
console.log(
  "approved:",
  await call("inbox-assistant_approve", { draft_id: draft }, ["Mail.Read", "Mail.Send"]),
);
console.log("mail:", await call("inbox-assistant_search", { query: "project update" }, ["Mail.Read"]));

while (packages.services.status().some(({ state }) => state !== "running")) await wait(100);
const tickets = ["Tickets.Read", "Tickets.Write"];
console.log("tickets:", await call("helpdesk_search", { query: "network issue" }, tickets));
await call("helpdesk_add-note", { ticket_id: "T-12345", note: "Escalating to network team" }, tickets);
console.log("ticket:", await call("helpdesk_get-ticket", { ticket_id: "T-12345" }, tickets));

await triggers.stop();
await packages.close();
await database.close();
rmSync(dataDir, { recursive: true, force: true });

/** As an agent with these scopes would call it. */
async function call(tool: string, input: unknown, scopes: string[]): Promise<string> {
  const spec = agentSpec({
    name: "Assistant",
    capabilities: [{ id: "inbox-assistant" }, { id: "helpdesk" }],
    grantedScopes: scopes,
  });
  const agent = value(compose(spec, registry, { scopes }));
  const contextFor = (): ToolContext => ({
    user: { email: user, scopes },
    fetch: async (url) => fail("url_invalid", { url }),
    store: { get: async () => undefined, set: async () => {}, delete: async () => {}, list: async () => [] },
    config: {},
    signal: AbortSignal.timeout(30_000),
    idempotencyKey: `${tool} ${JSON.stringify(input)}`,
    now: () => new Date(),
  });
  const gate = createGate({ contextFor, record: () => {}, now: () => new Date(), maxOutputChars: 2_000 });
  const signal = AbortSignal.timeout(30_000);
  const outcome = await gate.call({
    path: "trigger",
    agent,
    tool,
    input,
    user: { email: user, scopes },
    callId: "1",
    signal,
  });
  if (outcome.kind === "refused") return outcome.failure.message;
  return outcome.kind === "done" ? JSON.stringify(outcome.output) : outcome.kind;
}

/** Written aside and renamed, as everything that a service reads must be. */
function put(into: string, name: string, text: string): void {
  mkdirSync(into, { recursive: true });
  writeFileSync(join(into, `${name}.tmp`), text);
  renameSync(join(into, `${name}.tmp`), join(into, name));
  if (readdirSync(into).length === 0) throw new Error("nothing was written");
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.message} ${result.failure.nextStep}`);
  return result.value;
}
