/**
 * Probes the coding agents of the cache (`node tools/install-agents.ts` fills it) and writes what was seen into the repository
 * and into docs/coding-agents.md: `node tools/agent-probes.ts [agent ...]`. Agents that are not in the cache keep their report.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ALL_MANIFESTS } from "../packages/coding-agents/src/built-in/manifests.ts";
import { createClient } from "../packages/coding-agents/src/client.ts";
import { type ProbeReport, probeAgent } from "../packages/coding-agents/src/doctor/probe-agent.ts";

const FILE = new URL("../packages/coding-agents/src/doctor/recorded-probes.json", import.meta.url);
const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const binOf = (agent: string) => join(CACHE, agent, "node_modules", ".bin");

type Recorded = Pick<ProbeReport, "agent" | "version" | "date" | "features">;
const recorded = new Map(
  (JSON.parse(readFileSync(FILE, "utf8")) as Recorded[]).map((one) => [one.agent, one]),
);
const wanted = process.argv.slice(2);
for (const { capabilities, transports, commands } of ALL_MANIFESTS) {
  const { agent } = capabilities;
  const isWanted = wanted.length === 0 || wanted.includes(agent);
  if (!isWanted || !existsSync(join(binOf(agent), commands[0]))) continue;
  const PATH = [binOf(agent), dirname(process.execPath), process.env.PATH ?? ""].join(delimiter);
  const client = createClient({ environment: { PATH } });
  const { version } = await client.adapters.detect(agent);
  if (version === undefined) continue;
  const report = await probeAgent({
    declared: capabilities,
    transports,
    version,
    run: (options) => client.run(options),
    now: () => new Date(),
    onProgress: (what) => console.log(`${agent}: ${what}`),
  });
  if (!report) continue;
  for (const one of [...report.differences, ...report.inconclusive]) console.log(agent, JSON.stringify(one));
  for (const one of report.features.filter(({ why }) => why !== undefined))
    console.log(agent, JSON.stringify(one));
  const features = report.features.map(({ transport, feature, outcome }) => ({
    transport,
    feature,
    outcome,
  }));
  recorded.set(agent, { agent, version, date: report.date, features });
  const inOrder = ALL_MANIFESTS.flatMap((manifest) => recorded.get(manifest.capabilities.agent) ?? []);
  writeFileSync(FILE, `${JSON.stringify(inOrder, null, 2)}\n`);
}
execFileSync(process.execPath, [fileURLToPath(new URL("agent-docs.ts", import.meta.url))], {
  stdio: "inherit",
});
