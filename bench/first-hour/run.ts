/**
 * The first minutes of a newcomer who has cloned the repository: from the second command (`npm start`) to the page, and
 * from the page to the first answer of the built-in model. A new data folder each round; the studio built by
 * `npm install`, as it is, and once not built, as after a change of its sources.
 *
 * Beside it Mastra, when MASTRA_PROJECT names a project that `npx create-mastra` made: from `npm run dev` to its page, in turns with ours.
 * It has no model of its own, so it gives no answer without a key.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { figure, median, report } from "../result.ts";
import { cpuMs, freePort, sleep } from "../server.ts";

const ROUNDS = Number(process.argv[2] ?? 5);
const ROOT = join(import.meta.dirname, "../..");
const ASK_EVERY_MS = 10;
const PEER = process.env.MASTRA_PROJECT;
const PEER_URL = "http://127.0.0.1:4111";
const QUESTION = "What is 12 times 34?";

interface Times {
  readonly page: number[];
  /** Processor time of the start, which a busy machine does not stretch. */
  readonly work: number[];
  readonly firstWord: number[];
  readonly answer: number[];
}

const built: Times = { page: [], work: [], firstWord: [], answer: [] };
const unbuilt: Times = { page: [], work: [], firstWord: [], answer: [] };

async function once(times: Times | undefined): Promise<void> {
  const port = await freePort();
  const dataDir = mkdtempSync(join(tmpdir(), "capstan-bench-first-"));
  const startedAt = performance.now();
  const child = spawn(process.execPath, ["tools/start.mjs"], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: String(port), CAPSTAN_DATA_DIR: dataDir },
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  const url = `http://127.0.0.1:${port}`;
  while (!(await hasPage(url))) {
    if (child.exitCode !== null) throw new Error("the server did not start");
    await sleep(ASK_EVERY_MS);
  }
  const pageAt = performance.now();
  times?.work.push(cpuMs(child.pid ?? 0));
  const { firstWordMs, answerMs } = await ask(url);
  times?.page.push(pageAt - startedAt);
  times?.firstWord.push(firstWordMs);
  times?.answer.push(answerMs);
  child.kill("SIGTERM");
  await gone;
  rmSync(dataDir, { recursive: true, force: true });
}

async function peerOnce(project: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn("npm", ["run", "dev"], {
    cwd: project,
    detached: true, // npm's children end with it
    stdio: "ignore",
    env: { PATH: process.env.PATH, HOME: process.env.HOME, MASTRA_TELEMETRY_DISABLED: "1" },
  });
  const gone = new Promise((resolve) => child.once("exit", resolve));
  while (!(await hasPage(PEER_URL))) {
    if (child.exitCode !== null) throw new Error("Mastra did not start");
    await sleep(ASK_EVERY_MS);
  }
  const pageMs = performance.now() - startedAt;
  if (child.pid) process.kill(-child.pid, "SIGTERM");
  await gone;
  return pageMs;
}

async function hasPage(url: string): Promise<boolean> {
  const answer = await fetch(url).catch(() => undefined);
  return answer?.status === 200 && (await answer.text()).includes("<script");
}

/** What the studio does at the first message: an agent, a session, a turn. */
async function ask(url: string): Promise<{ firstWordMs: number; answerMs: number }> {
  const startedAt = performance.now();
  const post = (path: string, body: object) =>
    fetch(url + path, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const made = await post("/v1/agents", { name: "Assistant", capabilities: ["test_math", "current_time"] });
  const { id } = (await made.json()) as { id: string };
  const turn = await post(`/v1/agents/${id}/ag-ui`, {
    threadId: crypto.randomUUID(),
    runId: crypto.randomUUID(),
    messages: [{ id: "first", role: "user", content: QUESTION }],
  });
  let text = "";
  let firstWordMs = 0;
  const decoder = new TextDecoder();
  for await (const bytes of turn.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (firstWordMs === 0 && text.includes("TEXT_MESSAGE_CONTENT"))
      firstWordMs = performance.now() - startedAt;
  }
  if (!text.includes("RUN_FINISHED")) throw new Error(`no answer: ${text.slice(-500)}`);
  return { firstWordMs, answerMs: performance.now() - startedAt };
}

await once(undefined); // builds the studio if it is not, and fills Node's cache of compiled code
const peer: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  await once(built);
  if (PEER) peer.push(await peerOnce(PEER));
}
rmSync(join(ROOT, "packages/web/dist"), { recursive: true, force: true });
await once(unbuilt);

const row = (what: string, times: Times) => ({
  "": what,
  "command to page, ms": figure(median(times.page)),
  "page to first word, ms": figure(median(times.firstWord)),
  "page to whole answer, ms": figure(median(times.answer)),
  "processor time of the start, ms": figure(median(times.work)),
});
const peerRow = () => ({
  "": "Mastra's dev, a project of create-mastra",
  "command to page, ms": figure(median(peer)),
  "page to first word, ms": "no model",
  "page to whole answer, ms": "no model",
  "processor time of the start, ms": "-",
});
report({
  name: "first-hour",
  question: "How long does a newcomer wait?",
  method: `From \`npm start\` (tools/start.mjs) to the studio's page, and from there to the built-in model's answer to "${QUESTION}", including creating the agent; a new data folder each time. Medians of ${ROUNDS} rounds after a warm-up round; without a built studio, once. Mastra: from \`npm run dev\` to its page, alternating with ours, in a create-mastra project whose stores have the id that its own startup asks for.`,
  goals: [
    { what: "second command to the page", value: median(built.page) / 1000, atMost: 5, unit: " s" },
    ...(PEER
      ? [{ what: "vs Mastra's dev", value: median(built.page) / median(peer), atMost: 1, unit: "x" }]
      : []),
    { what: "page to the first answer", value: median(built.answer) / 1000, atMost: 1, unit: " s" },
  ],
  tables: [
    {
      title: "First minutes",
      rows: [
        row("studio built by npm install", built),
        row("studio not built yet", unbuilt),
        ...(PEER ? [peerRow()] : []),
      ],
    },
  ],
  plots: [],
});
process.exit(0);
