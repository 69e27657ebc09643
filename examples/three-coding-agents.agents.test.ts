/** The example with the real programs: Claude Code and Gemini CLI by keys of the environment, Codex by its own config. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Sim, startSim, wireToSim } from "@capstan/coding-agents";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isInCache } from "../packages/coding-agents/src/fixtures/real-agent.ts";
import { bareEnvironment } from "../tools/bare-environment.ts";

const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const PROGRAMS = ["claude", "codex", "gemini"] as const;

let sim: Sim;
let home: string;
beforeAll(async () => {
  sim = await startSim({});
  home = realpathSync(mkdtempSync(join(tmpdir(), "capstan-example-home-")));
});
afterAll(async () => {
  await sim.close();
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
});

test.skipIf(!PROGRAMS.every(isInCache))("the three programs answer as the native loop does", async () => {
  const wirings = PROGRAMS.flatMap((name) => wireToSim(name, sim.url, home) ?? []);
  for (const { path, content } of wirings.flatMap(({ files }) => files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const bare = bareEnvironment();
  const bins = PROGRAMS.map((name) => join(CACHE, name, "node_modules", ".bin"));
  const PATH = [...bins, dirname(process.execPath), bare.PATH].join(delimiter);
  const env = Object.assign({}, bare, ...wirings.map((wiring) => wiring.env), { PATH, HOME: home });
  const { stdout } = await promisify(execFile)(process.execPath, ["three-coding-agents.ts"], {
    cwd: dirname(fileURLToPath(import.meta.url)),
    timeout: 200_000,
    env,
  });
  expect(stdout).toMatch(/native: 2 \+ 40 = 42\nclaude: .*42.*\ncodex: .*42.*\ngemini: .*42/);
});
