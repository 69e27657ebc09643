/** The manifests against the real programs: the probe must observe what is declared. */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { describe, expect, test } from "vitest";
import { MANIFESTS } from "../built-in/manifests.ts";
import { createClient } from "../client.ts";
import { probeAgent } from "./probe-agent.ts";

const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const AGENTS = ["claude", "codex", "gemini", "copilot", "opencode", "pi"] as const;
const binFolder = (agent: string) => join(CACHE, agent, "node_modules", ".bin");
const environment = { PATH: [...AGENTS.map(binFolder), process.env.PATH ?? ""].join(delimiter) };

describe.each(AGENTS)("%s", (agent) => {
  const isInstalled = existsSync(join(binFolder(agent), MANIFESTS[agent].commands[0]));

  test.skipIf(!isInstalled)(
    "does what its manifest declares",
    async () => {
      const client = createClient({ environment });
      const report = await probeAgent({
        declared: MANIFESTS[agent].capabilities,
        transports: MANIFESTS[agent].transports,
        version: MANIFESTS[agent].testedVersions?.to ?? "",
        run: (options) => client.run(options),
        now: () => new Date(),
      });
      expect(report?.inconclusive).toEqual([]);
      expect(report?.differences).toEqual([]);
      const open = report?.features.filter(({ outcome }) => outcome !== "works" && outcome !== "not offered");
      expect(open).toEqual([]);
    },
    900_000,
  ); // of OpenCode each start takes seconds, and each feature several starts
});
