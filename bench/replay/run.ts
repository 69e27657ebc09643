/**
 * Replays beside the live loop: the same turns, made and then made again, on one server with Postgres. Before and after each
 * round of replays the live loop is measured; a ratio is of neighbours in time. At the end the server is killed in the middle
 * of a replay and started again. `node run.ts [replays] [rounds] [seconds]`.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../postgres.ts";
import { figure, median, report } from "../result.ts";
import { load } from "../runs/load.ts";
import { startModel } from "../runs/model-process.ts";
import { OWN, type Turn, VARIANTS } from "../runs/variants.ts";
import { sleep, startServer } from "../server.ts";

const [replays = "1000", rounds = "3", seconds = "3"] = process.argv.slice(2);
const AT_ONCE = 8; // as many as a process replays
const ASK_EVERY_MS = 100;
const WARM_UP_MS = 2500;
const milliseconds = Number(seconds) * 1000;

interface Round {
  /** Turns a second without replays: the mean of before and after. */
  readonly live: number;
  readonly replayed: number;
  /** Turns a second, one at a time, without replays and while they run. */
  readonly alone: number;
  readonly beside: number;
}

interface Progress {
  readonly id: string;
  readonly status: string;
  readonly verdicts: { readonly same: number };
  readonly progress: { readonly total: number; readonly done: number };
  readonly comparisons: readonly { readonly run_id: string }[];
  readonly next_cursor?: string;
}

async function ask(url: string, body?: object): Promise<Progress> {
  const answer = await fetch(url, {
    method: body ? "POST" : "GET",
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${url} was refused: ${await answer.text()}`);
  return (await answer.json()) as Progress;
}

/** Replays a second. Each must be found the same: a replay that ends early would be fast. */
async function replay(url: string, beside: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const query = { status: "done", limit: Number(replays) };
  const { id } = await ask(`${url}/v1/replays`, { query, with: {}, concurrency: AT_ONCE });
  const besides = beside();
  for (;;) {
    const { status, verdicts, progress } = await ask(`${url}/v1/replays/${id}?limit=1`);
    if (status === "running") {
      await sleep(ASK_EVERY_MS);
      continue;
    }
    const took = (performance.now() - startedAt) / 1000;
    if (verdicts.same !== Number(replays) || progress.total !== Number(replays))
      throw new Error(`${verdicts.same} of ${progress.total} replays were the same`);
    await besides;
    return progress.total / took;
  }
}

/** How many replays are missing or counted twice after the server was killed with a third of them done. */
async function killed(url: string, restart: () => Promise<string>): Promise<{ lost: number; twice: number }> {
  const query = { status: "done", limit: Number(replays) };
  const { id } = await ask(`${url}/v1/replays`, { query, with: {}, concurrency: AT_ONCE });
  const isEarly = ({ status, progress }: Progress) =>
    status === "running" && progress.done < Number(replays) / 3;
  while (isEarly(await ask(`${url}/v1/replays/${id}?limit=1`))) await sleep(1);
  const next = `${await restart()}/v1/replays/${id}`;
  while ((await ask(`${next}?limit=1`)).status === "running") await sleep(ASK_EVERY_MS);
  const compared: string[] = [];
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const page = await ask(`${next}?limit=200${cursor === undefined ? "" : `&cursor=${cursor}`}`);
    compared.push(...page.comparisons.map(({ run_id }) => run_id));
    cursor = page.next_cursor;
  }
  const different = new Set(compared).size;
  return { lost: Number(replays) - different, twice: compared.length - different };
}

async function measure(url: string, port: number, turn: () => Turn): Promise<Round> {
  const rate = async (concurrency: number, ms = milliseconds) =>
    (await load(port, turn, { concurrency, milliseconds: ms })).perSecond;
  const alone = await rate(1);
  const before = await rate(AT_ONCE);
  const replayed = await replay(url, async () => {});
  const after = await rate(AT_ONCE);
  let beside = Number.NaN;
  await replay(url, async () => {
    beside = await rate(1, Math.min(milliseconds, (Number(replays) / replayed) * 1000));
  });
  return { live: (before + after) / 2, replayed, alone, beside };
}

const own = VARIANTS.find(({ name }) => name === OWN);
if (!own?.database) throw new Error(`there is no variant ${OWN}`);
const postgres = await startPostgres();
await postgres.create(own.database);
const modelUrl = await startModel();
const dataDir = mkdtempSync(join(tmpdir(), "capstan-bench-data-"));
const options = {
  script: join(import.meta.dirname, "../runs", own.script),
  health: own.health,
  dataDir,
  environment: {
    OPENAI_COMPATIBLE_BASE_URL: `${modelUrl}/v1`,
    DATABASE_URL: postgres.url(own.database),
  },
};
let server = await startServer(options);
try {
  const turn = await own.prepare(server.url);
  for (let made = 0; made < Number(replays); )
    made += (await load(server.port, turn, { concurrency: 16, milliseconds: WARM_UP_MS })).turns;
  const all: Round[] = [];
  for (let round = 0; round < Number(rounds); round++) all.push(await measure(server.url, server.port, turn));
  const ends = await killed(server.url, async () => {
    process.kill(server.pid, "SIGKILL");
    server = await startServer(options);
    return server.url;
  });
  const ratios = (of: (round: Round) => number) => {
    const values = all.map(of);
    return { value: median(values), spread: [Math.min(...values), Math.max(...values)] as const };
  };
  report({
    name: "replay",
    question: "How fast are recorded runs replayed, compared with live runs?",
    method: `The turns of the bench runs, ${AT_ONCE} at once on Postgres: made live for ${seconds} s, then the newest ${replays} replayed unchanged (the model is called again, the tool is not), then live again. All replays must be identical. ${rounds} rounds; ratios are medians over rounds. Finally, the process is killed with SIGKILL after a third of ${replays} replays and restarted.`,
    goals: [
      {
        what: `replays/s vs live turns/s, ${AT_ONCE} at once`,
        ...ratios(({ replayed, live }) => replayed / live),
        atLeast: 1,
        unit: "x",
      },
      {
        what: "live turns/s at 1 while replays run, vs without",
        ...ratios(({ beside, alone }) => beside / alone),
        atLeast: 0.11, // its share among nine
        unit: "x",
      },
      { what: `replays lost by a kill, of ${replays}`, value: ends.lost, atMost: 0, unit: "" },
      { what: "replays counted twice after it", value: ends.twice, atMost: 0, unit: "" },
    ],
    tables: [
      {
        title: "Each round",
        rows: all.map((round, at) => ({
          round: at + 1,
          "replays/s": figure(round.replayed),
          "live turns/s": figure(round.live),
          "live at 1": figure(round.alone),
          "live at 1 beside replays": figure(round.beside),
        })),
      },
    ],
    plots: [],
  });
} finally {
  await server.stop();
  await postgres.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);
