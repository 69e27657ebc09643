/** Rows and bytes that a turn with one tool call stores, counted in an embedded store with the offline model. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openLog } from "../../packages/server/src/settings/log.ts";
import { parseSettings } from "../../packages/server/src/settings/settings.ts";
import { startServer } from "../../packages/server/src/start/serve.ts";
import { RESULTS } from "../result.ts";

const TURNS = 60;
const SIZES = `select (select count(*)::int from runs) as runs, (select count(*)::int from events) as "eventRows",
  pg_total_relation_size('events')::int as "eventBytes", (select count(*)::int from messages) as "messageRows",
  pg_total_relation_size('messages')::int as "messageBytes"`;

const dataDir = mkdtempSync(join(tmpdir(), "capstan-rows-"));
const settings = parseSettings({ PORT: "0", CAPSTAN_DATA_DIR: dataDir });
if (!settings.ok) throw new Error(settings.failure.message);
const started = await startServer(
  settings.value,
  openLog(() => {}, true),
);
if (!started.ok) throw new Error(started.failure.message);
const { url, services, close } = started.value;

async function post(path: string, body: object): Promise<Record<string, string>> {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return (await response.json()) as Record<string, string>;
}

const agent = await post("/v1/agents", { name: "Rows", capabilities: ["test_math"] });
for (let turn = 0; turn < TURNS; turn++) {
  const { id = "" } = await post("/v1/sessions", { agent_id: agent.id });
  await post(`/v1/sessions/${id}/messages`, { content: `add ${turn} and 2` });
  for await (const { json } of services.runs.events(id, 0, AbortSignal.timeout(30_000)))
    if (json.some((text) => /^\{"type":"RUN_(FINISHED|ERROR)"/.test(text))) break;
}
const { rows } = await services.database.pool.query(SIZES);
const date = new Date().toISOString().slice(0, 10);
writeFileSync(
  join(RESULTS, "scale-rows.json"),
  `${JSON.stringify({ name: "scale-rows", date, ...rows[0] }, null, 2)}\n`,
);
console.log(rows[0]);
await close();
rmSync(dataDir, { recursive: true, force: true });
process.exit(0);
