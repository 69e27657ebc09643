/**
 * Whether a turn costs the same in a long session, and a page of sessions the same among many. Sessions are filled by SQL;
 * turns are then taken over AG-UI with a model without latency. LangGraph's saver beside it: it reads and writes the
 * whole conversation at every step.
 */
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { type BenchPostgres, startPostgres } from "../postgres.ts";
import { figure, median, report, versionOf } from "../result.ts";
import { one } from "../runs/load.ts";
import { startModel } from "../runs/model-process.ts";
import { type BenchServer, startServer } from "../server.ts";

const TURNS = 25;
const LENGTHS = [10, 1000, 100_000] as const;
const PEER_LENGTHS = [10, 1000] as const;
const SESSIONS = [1000, 1_000_000] as const;
const here = import.meta.dirname;

const FILL_MESSAGES = `insert into messages(session_id, position, id, run_id, role, content)
  select $1::uuid, n, 'm' || n, $1::uuid, case when n % 2 = 0 then 'user' else 'assistant' end,
    json_build_array(json_build_object('type', 'text', 'text', 'What was said in message ' || n || ', in a sentence or two.'))
  from generate_series(0, $2::int - 1) n`;
const FILL_SESSIONS = `insert into sessions(id, agent_id, owner, title)
  select (lpad(to_hex(n), 8, '0') || '-0000-7000-8000-' || substr(md5(n::text), 1, 12))::uuid, $1::uuid,
    'local@localhost', 'Session ' || n from generate_series($2::int, $3::int) n on conflict do nothing`;

async function agentOf({ url }: BenchServer): Promise<string> {
  const body = {
    name: "bench",
    capabilities: ["test_math"],
    model: "openai-compatible/mock",
    granted_scopes: ["*"],
  };
  const made = await fetch(`${url}/v1/agents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!made.ok) throw new Error(await made.text());
  return ((await made.json()) as { id: string }).id;
}

const turn = (agentId: string, threadId: string) => ({
  path: `/v1/agents/${agentId}/ag-ui`,
  body: JSON.stringify({
    threadId,
    runId: randomUUID(),
    messages: [{ id: randomUUID(), role: "user", content: "What is 2+3? Use the tool." }],
    tools: [],
    context: [],
    state: {},
  }),
});

async function ownTurns(postgres: BenchPostgres, server: BenchServer, agentId: string): Promise<number[]> {
  const threads: string[] = [];
  for (const length of LENGTHS) {
    const id = randomUUID();
    threads.push(id);
    await postgres.query(
      "capstan",
      "insert into sessions(id, agent_id, owner) values ($1, $2, 'local@localhost')",
      [id, agentId],
    );
    await postgres.query("capstan", FILL_MESSAGES, [id, length]);
  }
  await postgres.query("capstan", "analyze");
  const times: number[][] = LENGTHS.map(() => []);
  for (let round = -3; round < TURNS; round++) {
    for (const [at, thread] of threads.entries()) {
      const { totalMs } = await one(server.port, turn(agentId, thread));
      if (round >= 0) times[at]?.push(totalMs);
    }
  }
  return times.map(median);
}

async function peerTurns(server: BenchServer): Promise<number[]> {
  const times: number[] = [];
  for (const length of PEER_LENGTHS) {
    const thread = randomUUID();
    const filled = await fetch(`${server.url}/fill`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ thread, length }),
    });
    if (!filled.ok) throw new Error(await filled.text());
    const own: number[] = [];
    const body = JSON.stringify({ message: "What is 2+3? Use the tool.", thread });
    for (let round = -2; round < 10; round++) {
      const { totalMs } = await one(server.port, { path: "/run", body });
      if (round >= 0) own.push(totalMs);
    }
    times.push(median(own));
  }
  return times;
}

async function listing(postgres: BenchPostgres, server: BenchServer, agentId: string): Promise<number[]> {
  const times: number[] = [];
  let from = 1;
  for (const count of SESSIONS) {
    await postgres.query("capstan", FILL_SESSIONS, [agentId, from, count]);
    await postgres.query("capstan", "vacuum analyze sessions");
    from = count + 1;
    const own: number[] = [];
    for (let round = -5; round < 60; round++) {
      const startedAt = performance.now();
      const answer = await fetch(`${server.url}/v1/sessions?limit=50`);
      if (!answer.ok) throw new Error(await answer.text());
      await answer.arrayBuffer();
      if (round >= 0) own.push(performance.now() - startedAt);
    }
    times.push(median(own));
  }
  return times;
}

const postgres = await startPostgres();
const modelUrl = await startModel();
for (const name of ["capstan", "langgraph"]) await postgres.create(name);
const own = await startServer({
  script: join(here, "../../packages/server/src/main.ts"),
  health: "/ready",
  environment: { DATABASE_URL: postgres.url("capstan"), OPENAI_COMPATIBLE_BASE_URL: `${modelUrl}/v1` },
});
const peer = await startServer({
  script: join(here, "../runs/peers/langgraph.ts"),
  health: "/health",
  environment: { DATABASE_URL: postgres.url("langgraph"), MODEL_URL: modelUrl },
});
const agentId = await agentOf(own);
const turns = await ownTurns(postgres, own, agentId);
const peerMs = await peerTurns(peer);
const lists = await listing(postgres, own, agentId);
await own.stop();
await peer.stop();
await postgres.stop();

const at = (values: readonly number[], index: number) => values[index] ?? Number.NaN;
report({
  name: "growth",
  question: "Does it stay fast with long and with many sessions?",
  method: `${TURNS} turns each in sessions of 10, 1,000 and 100,000 messages, interleaved, over AG-UI, one at a time; then pages of 50 sessions with a thousand and with a million in the table. With 1,000 messages and more, a turn sends the model the last 300 or what fits its window; LangGraph sends all of them, so it is measured up to 1,000.`,
  goals: [
    {
      what: "a turn at 1,000 messages vs 10",
      value: at(turns, 1) / at(turns, 0),
      atMost: 1.5,
      unit: "x",
    },
    {
      what: "a turn at 100,000 messages vs 10",
      value: at(turns, 2) / at(turns, 0),
      atMost: 1.5,
      unit: "x",
    },
    {
      what: "a turn at 100,000 messages vs 1,000",
      value: at(turns, 2) / at(turns, 1),
      atMost: 1.5,
      unit: "x",
    },
    {
      what: "a page of 1,000,000 sessions vs 1,000",
      value: at(lists, 1) / at(lists, 0),
      atMost: 1.5,
      unit: "x",
    },
  ],
  tables: [
    {
      title: "A turn, ms",
      rows: LENGTHS.map((length, index) => ({
        messages: length,
        Capstan: figure(at(turns, index)),
        "LangGraph + PostgresSaver": peerMs[index] === undefined ? "-" : figure(at(peerMs, index)),
      })),
    },
    {
      title: "A page of 50 sessions, ms",
      rows: SESSIONS.map((count, index) => ({ sessions: count, ms: figure(at(lists, index)) })),
    },
  ],
  plots: [
    {
      title: "A turn in a long session",
      unit: "ms",
      bars: [
        ...LENGTHS.map((length, index) => ({
          label: `Capstan, ${length} messages`,
          value: at(turns, index),
        })),
        ...PEER_LENGTHS.map((length, index) => ({
          label: `LangGraph, ${length} messages`,
          value: at(peerMs, index),
        })),
      ],
    },
  ],
  versions: { "@langchain/langgraph": versionOf("@langchain/langgraph") },
});
process.exit(0);
