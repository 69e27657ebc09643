/** A complete engine on a fresh store, with one agent, a scripted model and a few tools: the base of run tests. */
import {
  type AgentSpec,
  agentSpec,
  type Capability,
  CapabilityRegistry,
  compose,
  defineCapability,
  defineTool,
  fail,
  type Ok,
  ok,
  type Result,
  type RunEvent,
  type RuntimeAgent,
  type ToolContext,
} from "@capstan/core";
import { effectiveScopes } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { type Database, openDatabase } from "../packages/runtime/src/db/database.ts";
import { type CallRecord, createGate } from "../packages/runtime/src/gate/gate.ts";
import type { RunsParts } from "../packages/runtime/src/runs/contract/run-types.ts";
import { createRuns } from "../packages/runtime/src/runs/create-runs.ts";
import type { Runs } from "../packages/runtime/src/runs/runs.ts";
import { onlyModel, type Script, scriptedModel } from "./scripted-model.ts";

export interface EngineOptions {
  readonly script: Script;
  readonly agents?: readonly (Partial<AgentSpec> & Pick<AgentSpec, "id">)[];
  readonly agent?: Partial<AgentSpec>;
  readonly capabilities?: readonly Capability[];
  readonly userScopes?: readonly string[];
  readonly parts?: Partial<RunsParts>;
}

export interface EngineUnderTest {
  readonly database: Database;
  readonly runs: Runs;
  readonly registry: CapabilityRegistry;
  readonly composeFor: (agentId: string) => Promise<Result<RuntimeAgent>>;
  readonly records: CallRecord[];
  readonly errors: string[];
  /** Calls of the tool `note`, in order: what it was told and the idempotency key. */
  readonly notes: { text: string; key: string }[];
  newSession(more?: { agentId?: string; state?: unknown }): Promise<string>;
  close(): Promise<void>;
}

export const AGENT_ID = "00000000-0000-7000-8000-000000000001";
export const USER = "ann@example.com";

export async function openEngine(
  store: { dataDir: string; url?: string | undefined },
  options: EngineOptions,
): Promise<EngineUnderTest> {
  const opened = await openDatabase(store);
  if (!opened.ok) throw new Error(opened.failure.message);
  const database = opened.value;
  const records: CallRecord[] = [];
  const errors: string[] = [];
  const notes: EngineUnderTest["notes"] = [];
  const registry = CapabilityRegistry.of([testTools(notes), ...(options.capabilities ?? [])]);
  const agents = new Map(
    [{ id: AGENT_ID, ...options.agent }, ...(options.agents ?? [])].map((agent) => [
      agent.id,
      agentSpec({ name: "tester", capabilities: [{ id: "test_tools" }], grantedScopes: ["*"], ...agent }),
    ]),
  );
  const gate = createGate({
    contextFor: (request, tool, signal) =>
      ({
        signal,
        idempotencyKey: request.callId,
        config: tool.config,
        runId: request.runId,
        sessionId: request.sessionId,
        agentId: request.agent.spec.id,
        user: request.user,
        now: () => new Date(),
      }) as unknown as ToolContext,
    record: (record) => records.push(record),
    now: () => new Date(),
    maxOutputChars: 100_000,
  });
  const composeFor = async (agentId: string) => {
    const spec = agents.get(agentId);
    if (!spec) return fail("not_found", { what: "agent", id: agentId });
    return compose(spec, registry, {
      scopes: effectiveScopes(spec.grantedScopes, options.userScopes ?? ["*"]),
    });
  };
  const runs = await createRuns({
    database,
    gate,
    composeFor,
    models: onlyModel(scriptedModel(options.script)),
    executorId: store.url === undefined ? "local" : uuidv7(),
    retry: { attempts: 3, baseMs: 5 },
    onError: (error, what) => errors.push(`${what}: ${error instanceof Error ? error.stack : String(error)}`),
    ...options.parts,
  });
  return {
    database,
    runs,
    registry,
    composeFor,
    records,
    errors,
    notes,
    async newSession({ agentId = AGENT_ID, state = {} } = {}) {
      const id = uuidv7();
      await database.pool.query("insert into sessions(id, agent_id, owner, state) values ($1, $2, $3, $4)", [
        id,
        agentId,
        USER,
        JSON.stringify(state),
      ]);
      return id;
    },
    async close() {
      await runs.drain(0);
      await database.close();
    },
  };
}

/** add: a sum. note: records its text. send: requires approval. pick: run by the client. slow: until stopped. */
function testTools(notes: EngineUnderTest["notes"]): Capability {
  return defineCapability({
    id: "test_tools",
    name: "Test tools",
    description: "What tests call.",
    systemPrompt: "You are under test.",
    tools: [
      defineTool({
        name: "add",
        description: "Adds two numbers.",
        input: z.object({ a: z.number(), b: z.number() }),
        run: ({ a, b }) => ok({ sum: a + b }),
      }),
      defineTool({
        name: "note",
        description: "Writes a text down.",
        input: z.object({ text: z.string() }),
        run: ({ text }, { idempotencyKey: key }) => {
          notes.push({ text, key });
          return ok(`noted ${text}`);
        },
      }),
      defineTool({
        name: "send",
        description: "Sends a mail.",
        policy: "approve",
        input: z.object({ to: z.string().includes("@"), body: z.string().default("") }),
        run: ({ to }, { idempotencyKey: key }) => {
          notes.push({ text: `sent to ${to}`, key });
          return ok(`sent to ${to}`);
        },
      }),
      defineTool({
        name: "pick",
        description: "Lets the user pick.",
        policy: "client",
        input: z.object({ from: z.array(z.string()) }),
        run: () => ok("never"),
      }),
      defineTool({
        name: "slow",
        description: "Takes until it is stopped.",
        input: z.object({}),
        run: (_input, { signal }) =>
          new Promise<Ok<string>>((resolve) =>
            signal.addEventListener("abort", () => resolve(ok("stopped"))),
          ),
      }),
    ],
  });
}

export const types = (events: readonly RunEvent[]): string[] => events.map(({ type }) => type);
export const spoken = (events: readonly RunEvent[]): string =>
  events.map((event) => (event.type === "TEXT_MESSAGE_CONTENT" ? event.delta : "")).join("");
export const results = (events: readonly RunEvent[]): unknown[] =>
  events.flatMap((event) => (event.type === "TOOL_CALL_RESULT" ? [event.content] : []));
export const last = (events: readonly RunEvent[]): RunEvent => events.at(-1) as RunEvent;

/** What a client shows at the end: a snapshot removes what it does not contain. */
export function onScreen(events: readonly RunEvent[]): string[] {
  let texts = new Map<string, string>();
  for (const event of events) {
    if (event.type === "MESSAGES_SNAPSHOT") {
      const shown = event.messages.flatMap((message) =>
        message.role === "assistant" ? [[message.id, message.content ?? ""] as const] : [],
      );
      texts = new Map(shown);
    }
    if (event.type === "TEXT_MESSAGE_CONTENT") {
      texts.set(event.messageId, (texts.get(event.messageId) ?? "") + event.delta);
    }
  }
  return [...texts.values()].filter((text) => text !== "");
}

/** Follows a session until `enough` says so, or until its run's last event. */
export async function collect(
  runs: Runs,
  sessionId: string,
  {
    after = 0,
    runs: segments = 1,
    enough,
  }: { after?: number; runs?: number; enough?: (event: RunEvent) => boolean } = {},
): Promise<RunEvent[]> {
  const controller = new AbortController();
  const events: RunEvent[] = [];
  let ends = 0;
  for await (const { json } of runs.events(sessionId, after, controller.signal)) {
    for (const text of json) {
      const event: RunEvent = JSON.parse(text);
      events.push(event);
      if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") ends++;
      if (ends >= segments || enough?.(event)) controller.abort();
    }
    if (controller.signal.aborted) break;
  }
  return events;
}
