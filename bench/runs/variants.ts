/** The measured servers: how to start each, and the request of one turn. */
import { randomUUID } from "node:crypto";

export interface Turn {
  readonly path: string;
  readonly body: string;
}

export interface Variant {
  readonly name: string;
  readonly script: string;
  /** Its own database on the Postgres of this run; absent = it stores nothing there. */
  readonly database?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly health: string;
  /** Called once when it is up; returns how to make a turn. */
  readonly prepare: (url: string) => Promise<() => Turn>;
}

const MESSAGE = "What is 2+3? Use the tool.";
const plain = async () => () => ({ path: "/run", body: JSON.stringify({ message: MESSAGE }) });

export const OWN = "Capstan";
export const OWN_EMBEDDED = "Capstan on PGlite";
export const LANGGRAPH = "LangGraph + PostgresSaver";
export const MASTRA = "Mastra + pg";

export const VARIANTS: readonly Variant[] = [
  {
    name: OWN,
    script: "../../packages/server/src/main.ts",
    database: "capstan",
    health: "/ready",
    prepare: agUi,
  },
  { name: OWN_EMBEDDED, script: "../../packages/server/src/main.ts", health: "/ready", prepare: agUi },
  {
    name: LANGGRAPH,
    script: "peers/langgraph.ts",
    database: "langgraph",
    health: "/health",
    prepare: plain,
  },
  { name: MASTRA, script: "peers/mastra.ts", database: "mastra", health: "/health", prepare: mastra },
  { name: "AI SDK, no storage", script: "peers/ai-sdk.ts", health: "/health", prepare: plain },
];

/** A new thread for each turn, over AG-UI: gate, telemetry, stored events, all of it. */
async function agUi(url: string): Promise<() => Turn> {
  const made = await fetch(`${url}/v1/agents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      name: "bench",
      capabilities: ["test_math"],
      model: "openai-compatible/mock",
      granted_scopes: ["*"],
    }),
  });
  if (!made.ok) throw new Error(`the agent was refused: ${await made.text()}`);
  const { id } = (await made.json()) as { id: string };
  return () => ({
    path: `/v1/agents/${id}/ag-ui`,
    body: JSON.stringify({
      threadId: randomUUID(),
      runId: randomUUID(),
      messages: [{ id: randomUUID(), role: "user", content: MESSAGE }],
      tools: [],
      context: [],
      state: {},
    }),
  });
}

async function mastra(): Promise<() => Turn> {
  return () => ({
    path: "/api/agents/bench/stream",
    body: JSON.stringify({
      messages: [{ role: "user", content: MESSAGE }],
      memory: { thread: randomUUID(), resource: "bench" },
    }),
  });
}
