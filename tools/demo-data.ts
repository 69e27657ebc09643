/** A server filled with demo data of a port office: for screenshots of the studio. Not for tests. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import type { RunningServer } from "../packages/server/src/start/serve.ts";
import { type LlmReply, type LlmRequest, lastUserText } from "./scripted-llm.ts";
import { callServer } from "./test-server.ts";

export interface Demo {
  readonly agent: string;
  /** A session with reasoning, calls, tasks, files, and a question that waits. */
  readonly chat: string;
}

const MODEL = "openai-compatible/harbour-demo";

const tides = defineCapability({
  id: "tides",
  name: "Tide Tables",
  description: "Tells when the tide is high in a port, and how high.",
  category: "Sea",
  icon: "waves",
  systemPrompt: "Times of tides are local to the port. Say how high the water stands.",
  tools: [
    defineTool({
      name: "high_tide",
      description: "When the tide is high in a port, and how high.",
      input: z.object({ port: z.string().describe("The port's name.") }),
      run: ({ port }) => ok({ port, high_tide: "04:12", metres: 3.4 }),
    }),
  ],
  routing: {
    triggers: ["when is high tide", "tide table", "high tide in lisbon", "low water at the quay"],
    tags: ["tide", "sea", "port"],
    domain: "sea",
    actions: ["fetch"],
    chatPatterns: ["^when is high tide\\b"],
  },
});

const berths = defineCapability({
  id: "berths",
  name: "Berths",
  description: "Books berths for ships, and tells who lies where.",
  category: "Sea",
  icon: "anchor",
  risk: "medium",
  systemPrompt: "A berth is booked for one ship at a time. Never move a ship that is moored.",
  tools: [
    defineTool({
      name: "find_berth",
      description: "A free berth that is long and deep enough.",
      input: z.object({ length_metres: z.number(), draught_metres: z.number() }),
      run: () => ok({ berth: "Quay 4, north", free_from: "05:00" }),
    }),
    defineTool({
      name: "book_berth",
      description: "Books a berth for a ship.",
      policy: "approve",
      input: z.object({ berth: z.string(), ship: z.string(), from: z.string() }),
      run: ({ berth, ship }) => ok({ booked: berth, ship }),
    }),
    defineTool({
      name: "cancel_booking",
      description: "Cancels a booking.",
      scopes: ["Berths.Manage"],
      input: z.object({ berth: z.string() }),
      run: () => ok({ cancelled: true }),
    }),
  ],
  routing: {
    triggers: ["book a berth", "where does the ship lie", "find a free quay"],
    tags: ["berth", "quay", "ship", "port"],
    domain: "sea",
    actions: ["create", "search"],
  },
});

const PLAN = [
  { content: "Look up the tide", activeForm: "Looking up the tide" },
  { content: "Find a berth for 180 m", activeForm: "Finding a berth" },
  { content: "Write the arrival sheet", activeForm: "Writing the arrival sheet" },
  { content: "Book the berth", activeForm: "Booking the berth" },
];
const plan = (done: number) => ({
  todos: PLAN.map((task, at) => ({
    ...task,
    status: at < done ? "completed" : at === done ? "in_progress" : "pending",
  })),
});

/** What the demo model says, by how many tools have answered. */
const TURN: readonly LlmReply[] = [
  {
    reasoning: [
      "The ship needs water under the keel and 180 m of quay. Tide first, then a berth, then ask before booking.",
    ],
    text: ["I will plan the arrival of the **Aurora**: first the tide, then a berth."],
    calls: [
      { id: "call-plan", name: "write_todos", input: plan(0) },
      { id: "call-tide", name: "high_tide", input: { port: "Lisbon" } },
      { id: "call-berth", name: "find_berth", input: { length_metres: 180, draught_metres: 9.5 } },
    ],
  },
  {
    text: [
      "High water is at **04:12** with 3.4 m, and one berth fits:\n\n| Berth | Free from | Depth |\n| --- | --- | --- |\n| Quay 4, north | 05:00 | 11.2 m |\n\nI write the arrival sheet and then ask to book it.",
    ],
    calls: [
      {
        id: "call-sheet",
        name: "write_file",
        input: {
          path: "/arrivals/aurora.md",
          content: "# Aurora\n\n- High water 04:12, 3.4 m\n- Quay 4, north, from 05:00\n",
        },
      },
      { id: "call-plan-2", name: "write_todos", input: plan(3) },
      {
        id: "call-book",
        name: "book_berth",
        input: { berth: "Quay 4, north", ship: "Aurora", from: "05:00" },
      },
    ],
  },
];

export function demoScript(request: LlmRequest): LlmReply {
  if (!lastUserText(request).includes("Aurora"))
    return { text: ["The harbour is quiet: two ships at the quay, none expected before noon."] };
  const answered = request.messages.filter(({ role }) => role === "tool").length;
  return { usage: { prompt_tokens: 1_840, completion_tokens: 212 }, ...(TURN[answered === 0 ? 0 : 1] ?? {}) };
}

export async function fillDemo(server: RunningServer, dataDir: string): Promise<Demo> {
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await callServer(server.url + path, method, body, {});
    if (answer.status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  for (const capability of [tides, berths]) server.services.registry.register(capability);
  const agent = await call("POST", "/v1/agents", {
    name: "Harbour Master",
    description: "Plans arrivals, books berths and keeps the log.",
    system_prompt: "You run the port's office. Safety comes first; ask before you book.",
    model: MODEL,
    capabilities: ["tides", "berths", "current_time", "session_file_system", "stateless_todo_list"],
    may_request_scopes: true,
  });
  const reckoner = await call("POST", "/v1/agents", {
    name: "Reckoner",
    description: "Sums, times and nothing else; works without any key.",
    capabilities: ["test_math", "current_time"],
  });
  await call("PUT", "/v1/users/ann@example.com", { scopes: ["Berths.Manage", "Mail.Read"] });
  await call("POST", "/v1/keys", { name: "Harbour display", rights: ["read"] });
  await installDemo(call, dataDir);
  for (const [id, title, say] of [
    [reckoner.id, "Sums for the pilot", "Add 12 and 30"],
    [agent.id, "Morning report", "How is the harbour?"],
    [
      agent.id,
      "Prepare the arrival of the Aurora",
      "Prepare the arrival of the Aurora in Lisbon: 180 m long, 9.5 m draught.",
    ],
  ]) {
    const session = await call("POST", "/v1/sessions", { agent_id: id, title });
    await call("POST", `/v1/sessions/${session.id}/messages`, { content: say });
  }
  await call("POST", "/api/execute-task", { task: "When is high tide in Lisbon?", dryRun: false });
  await history(server, [agent.id, reckoner.id]);
  while ((await call("GET", "/v1/approvals?status=pending")).items.length < 1) await wait(100);
  const [approval] = (await call("GET", "/v1/approvals?status=pending")).items;
  return { agent: agent.id, chat: approval.session_id };
}

type Call = (method: string, path: string, body?: unknown) => Promise<{ [key: string]: unknown }>;

/** A package, one that waits in the drop folder's place, a service, triggers in several states and a schedule. */
async function installDemo(call: Call, dataDir: string): Promise<void> {
  const folder = join(dataDir, "demo", "capstan-cli-logbook");
  mkdirSync(folder, { recursive: true });
  const write = (into: string, name: string, content: object | string) =>
    writeFileSync(join(into, name), typeof content === "string" ? content : JSON.stringify(content));
  write(folder, "package.json", {
    name: "capstan-cli-logbook",
    version: "1.2.0",
    type: "module",
    bin: { "capstan-cli-logbook": "main.mjs" },
  });
  write(folder, "manifest.json", {
    name: "logbook",
    type: "cli",
    command: "capstan-cli-logbook",
    description: "Reads and writes the port's logbook",
    required_scopes: ["Log.Read"],
    actions: [
      { name: "read", description: "Reads the last entries", parameters: ["--json"] },
      { name: "write", description: "Adds an entry", parameters: ["entry"], required_scopes: ["Log.Write"] },
    ],
  });
  write(folder, "main.mjs", "#!/usr/bin/env node\nconsole.log('[]');\n");
  await call("POST", "/v1/packages", { source: folder, yes: true, grant: ["Log.Read"] });
  const service = join(dataDir, "demo", "capstan-rt-radar");
  mkdirSync(service);
  write(
    service,
    "docker-compose.yml",
    "services:\n  radar:\n    build: .\n    env_file:\n      - .env\n    volumes:\n      - radar-data:/data\n    restart: unless-stopped\n",
  );
  write(service, "Dockerfile", 'FROM node:24-slim\nCMD ["node", "service.mjs"]\n');
  write(service, ".env", "DELEGATED_USER=local@localhost\nPOLL_INTERVAL=60\n");
  write(
    service,
    "service.mjs",
    'import { createServer } from "node:http";\ncreateServer((_, a) => a.end("{}")).listen(Number(process.env.PORT), process.env.HOST, () => console.log("radar turns"));\nprocess.on("SIGTERM", () => process.exit(0));\n',
  );
  await call("POST", "/v1/services/folder/start", { folder: service });
  await call("POST", "/v1/schedules", { capability: "tides", cron: "0 5 * * *", type: "morning-tide" });
  const outbox = join(dataDir, "rt_triggers", "tides");
  mkdirSync(outbox, { recursive: true });
  for (const type of ["storm-warning", "ship-in-sight", "pilot-on-board"]) {
    const id = crypto.randomUUID();
    const trigger = { id, user: "ann@example.com", type, created_at: new Date().toISOString(), payload: {} };
    write(outbox, `${id}.json.tmp`, trigger);
    renameSync(join(outbox, `${id}.json.tmp`), join(outbox, `${id}.json`));
  }
  write(outbox, "broken.json.tmp", "{");
  renameSync(join(outbox, "broken.json.tmp"), join(outbox, "broken.json"));
}

/** A day of calls, so that charts have something to show. */
async function history({ services: { database } }: RunningServer, agents: readonly string[]): Promise<void> {
  await database.pool.query(
    `insert into usage_hours (hour, agent_id, model, user_email, calls, input_tokens, output_tokens, cached_input_tokens, cost_usd)
     select date_trunc('hour', now()) - (at * interval '5 hours'), ($1::text[])[(array[1, 1, 2])[1 + at % 3]],
       (array['anthropic/claude-sonnet-4-5', 'openai/gpt-5-mini', 'ollama/qwen3'])[1 + (at * 7) % 3],
       (array['ann@example.com', 'local@localhost'])[1 + at % 2], 4 + (at * 13) % 19, 9000 + (at * 7919) % 60000,
       900 + (at * 127) % 4000, 4000 + (at * 31) % 5000, case when (at * 7) % 3 = 2 then 0 else (20 + (at * 37) % 90) / 100.0 end
     from generate_series(1, 140) as at on conflict do nothing`,
    [agents],
  );
  await database.pool.query(
    `insert into tool_hours (hour, capability_id, tool, agent_id, user_email, latency_bucket, calls, failures, total_ms, max_ms)
     select date_trunc('hour', now()) - (at * interval '3 hours'), (array['tides', 'berths', 'web_fetch', 'session_file_system'])[1 + at % 4],
       (array['high_tide', 'book_berth', 'web_fetch', 'write_file'])[1 + at % 4], '', 'ann@example.com',
       (array[10, 13, 20, 6])[1 + at % 4] + at % 3, 3 + at % 9, case when at % 4 in (1, 2) and at % 5 = 0 then 1 else 0 end,
       (3 + at % 9) * (array[40, 90, 900, 8])[1 + at % 4], (array[60, 180, 2400, 20])[1 + at % 4]
     from generate_series(1, 160) as at on conflict do nothing`,
  );
  await database.pool.query(
    `insert into call_history (ts, path, capability_id, tool, step, latency_ms, failure_class, fallback_used)
     select now() - (at * interval '7 minutes'), 'task', (array['tides', 'berths', 'current_time'])[1 + at % 3], 'tool', 1,
       40 + (at * 37) % 90 + (case when at % 11 = 0 then 240 else 0 end),
       case when at % 17 = 0 then 'timeout' else 'success' end, at % 13 = 0
     from generate_series(1, 200) as at`,
  );
}
