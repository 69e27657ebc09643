/** Fresh model lists from the real programs. No network: these four carry their lists with them. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createModelRegistry } from "@capstan/core/internal";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runCommand } from "../command/run-command.ts";
import { MODEL_SNAPSHOTS } from "./models.ts";
import { createRefreshers } from "./refreshers.ts";

const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const binFolder = (agent: string) => join(CACHE, agent, "node_modules", ".bin");

let home = "";
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "capstan-models-"));
});
afterAll(() => rm(home, { recursive: true, force: true }));

for (const [agent, modelId] of [
  ["codex", "gpt-6.1-sol"],
  ["copilot", "claude-sonnet-5.5"],
  ["opencode", "anthropic/claude-opus-5-5"],
  ["pi", "anthropic/claude-opus-5-5"],
] as const) {
  test.skipIf(!existsSync(join(binFolder(agent), agent)))(`${agent} lists its own models`, async () => {
    const env = {
      PATH: [binFolder(agent), process.env.PATH ?? ""].join(delimiter),
      HOME: home,
      ANTHROPIC_API_KEY: "sk-test",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      COPILOT_OFFLINE: "true",
      COPILOT_AUTO_UPDATE: "false",
      PI_OFFLINE: "1",
    };
    const now = () => new Date();
    const models = createModelRegistry({
      snapshots: MODEL_SNAPSHOTS,
      refreshers: createRefreshers({ run: runCommand, fetch, env, now }),
      now,
    });
    const bundled = models.model(agent, modelId);
    await models.refresh(agent);
    const fresh = models.model(agent, modelId);
    expect(models.models(agent).length).toBeGreaterThan(5);
    expect(fresh).toMatchObject({
      source: "remote",
      thinkingEffortLevels: bundled?.thinkingEffortLevels,
      inputPricePerMillion: bundled?.inputPricePerMillion,
    });
  });
}
