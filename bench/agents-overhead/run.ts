/**
 * The overhead of the runner: time from `run()` to the first event, compared with the same command started by hand and read to the same line.
 * Both talk to a simulated model on loopback; rounds alternate, and each pair is compared with itself, so that a busy machine slows
 * both. The first row is a program that answers at once: there, all that is left is the runner.
 * Usage: node bench/agents-overhead/run.ts [rounds] [agent ...]
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, homedir, loadavg, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { BUILT_IN_ADAPTERS, createClient, startSim, wireToSim } from "@capstan/coding-agents";
import { NO_THINKING, type RunOptions } from "@capstan/core/internal";

const ROUNDS = Number(process.argv[2] ?? 20);
const MOST_MS = 50; // what the issue allows
const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const AT_ONCE = "claude, answering at once";
const AGENTS = ["claude", "gemini", "copilot", "pi"] as const; // those whose first line needs no conversation
const only = process.argv.slice(3);
type Agent = (typeof AGENTS)[number];

const sim = await startSim();
const wanted = AGENTS.filter((agent) => only.length === 0 || only.includes(agent));
const installed = wanted.filter((agent) => existsSync(join(CACHE, agent, "node_modules", ".bin", agent)));
for (const agent of wanted) if (!installed.includes(agent)) console.log(`skipped, not installed: ${agent}`);
const rows = [await compareAtOnce()];
for (const agent of installed) rows.push(await compare(agent));
await sim.close();
console.table(rows);
// A busy machine moves these numbers by more than the limit itself; the load says how far to trust them.
const machine = { cores: availableParallelism(), load: loadavg()[0] ?? 0 };
const result = { name: "agents-overhead", rounds: ROUNDS, ...machine, mostMs: MOST_MS, rows };
mkdirSync(new URL("../results", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../results/agents-overhead.json", import.meta.url),
  `${JSON.stringify(result, null, 2)}\n`,
);
if (rows.some(({ overheadMs }) => overheadMs > MOST_MS)) process.exitCode = 1;

async function compare(agent: Agent) {
  const home = mkdtempSync(join(tmpdir(), `capstan-bench-${agent}-`));
  const wiring = wireToSim(agent, sim.url, home);
  if (!wiring) throw new Error(`${agent} cannot be pointed at a simulated model`);
  for (const { path, content } of wiring.files) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
  }
  const PATH = [join(CACHE, agent, "node_modules", ".bin"), dirname(process.execPath), process.env.PATH].join(
    delimiter,
  );
  const env = { PATH, ...wiring.env };
  const options: RunOptions = {
    agent,
    prompt: "hello [[text]]",
    model: wiring.model,
    cwd: home,
    approvalMode: "yolo",
    env,
  };
  const client = createClient({ environment: { PATH } });
  const row = await measured(
    agent,
    () => bareMs(agent, options, env),
    () => runnerMs(client, options),
  );
  rmSync(home, { recursive: true, force: true, maxRetries: 3 });
  return row;
}

/** A `claude` that prints a recorded run and waits to be let go. */
async function compareAtOnce() {
  const folder = mkdtempSync(join(tmpdir(), "capstan-bench-at-once-"));
  const recording = new URL(
    "../../packages/coding-agents/src/fixtures/transcripts/claude-text.jsonl",
    import.meta.url,
  );
  const script = `#!/bin/sh\ncat '${fileURLToPath(recording)}'\nexec cat >/dev/null\n`;
  writeFileSync(join(folder, "claude"), script, { mode: 0o755 });
  const env = { PATH: [folder, "/usr/bin", "/bin"].join(delimiter), HOME: folder };
  const options: RunOptions = { agent: "claude", prompt: "hello", cwd: folder, env };
  const client = createClient({ environment: env });
  const row = await measured(
    AT_ONCE,
    () => bareMs("claude", options, env),
    () => runnerMs(client, options),
  );
  rmSync(folder, { recursive: true, force: true });
  return row;
}

async function measured(agent: string, byHand: () => Promise<number>, byRunner: () => Promise<number>) {
  await byRunner(); // both programs and caches warm
  await byHand();
  const bare: number[] = [];
  const runner: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const pair = [async () => bare.push(await byHand()), async () => runner.push(await byRunner())];
    // Who goes first changes: the second of a pair starts on a machine that is still cleaning up after the first.
    for (const measure of round % 2 === 0 ? pair : pair.toReversed()) await measure();
  }
  return {
    agent,
    bareMs: Math.round(median(bare)),
    runnerMs: Math.round(median(runner)),
    overheadMs: Math.round(median(runner.map((ms, round) => ms - (bare[round] ?? Number.NaN)))),
    bareBestMs: Math.round(Math.min(...bare)),
    runnerBestMs: Math.round(Math.min(...runner)),
  };
}

async function runnerMs(client: ReturnType<typeof createClient>, options: RunOptions): Promise<number> {
  const startedAt = performance.now();
  const run = client.run(options);
  let first: number | undefined;
  for await (const _ of run) first ??= performance.now() - startedAt;
  if ((await run.result).outcome !== "done")
    throw new Error(`${options.agent}: ${(await run.result).message}`);
  return first ?? Number.NaN;
}

/** The same command by hand: spawn, write what must be written, wait for the line that is the first event. */
function bareMs(agent: Agent, options: RunOptions, env: Record<string, string>): Promise<number> {
  const plan = BUILT_IN_ADAPTERS[agent].open(options, {
    folder: join(tmpdir(), "unused"),
    cwd: options.cwd ?? ".",
    home: env.HOME ?? "",
    transport: BUILT_IN_ADAPTERS[agent].transports?.[0]?.name ?? "",
    environment: {},
    secret: "bench",
    isRoot: true,
    freshSessionId: crypto.randomUUID(),
    nativeTools: "on",
    model: options.model,
    thinking: NO_THINKING,
    attachments: [],
  });
  const [command = "", ...args] = plan.argv;
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let first: number | undefined;
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...env, ...plan.env },
      stdio: [plan.stdin ? "pipe" : "ignore", "pipe", "ignore"],
      detached: true, // as the runner does: without a terminal, a CLI that looks for one is not stopped in the background
    });
    for (const line of plan.stdin ?? []) child.stdin?.write(`${line}\n`);
    if (!child.stdout) return reject(new Error("no output to read"));
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { events } = plan.onLine(line);
      if (events.length > 0) first ??= performance.now() - startedAt;
      if (events.some(({ type }) => type === "run-ended")) child.stdin?.end();
    });
    child.once("error", reject).once("close", () => resolve(first ?? Number.NaN));
  });
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
