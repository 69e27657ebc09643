/**
 * Records runs of the real coding agents with the simulated model, for the replay tests:
 *
 *   node tools/record-agents.ts                      every recording below
 *   node tools/record-agents.ts opencode-server-edit  only those whose name begins so
 *
 * Agents come from the cache that `node tools/install-agents.ts` fills. Paths, ports and long texts are replaced; what a program
 * printed stays as it is otherwise. A new recording needs its outcome in `fixtures/outcomes.ts`.
 */
import { writeFileSync } from "node:fs";
import type { CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import type { BuiltInAgentName } from "../packages/coding-agents/src/built-in/built-in-agents.ts";
import { createClient } from "../packages/coding-agents/src/client.ts";
import { makeProbePlace, type ProbePlace } from "../packages/coding-agents/src/doctor/probe-place.ts";
import type { RunHandle } from "../packages/coding-agents/src/runner/run-handle.ts";
import type { SimPlan } from "../packages/coding-agents/src/sim/sim-plan.ts";
import type { SimRequest } from "../packages/coding-agents/src/sim/sim-request.ts";
import { type Sim, startSim } from "../packages/coding-agents/src/sim/sim-server.ts";
import { wireToSim } from "../packages/coding-agents/src/sim/sim-wiring.ts";
import { pathWith } from "./agents-cache.ts";

const FOLDER = new URL("../packages/coding-agents/src/fixtures/transcripts/", import.meta.url);
const MOST_CHARS = 400; // of one text: system prompts and lists of tools are long, and nobody reads them in a replay
const ENDLESS_MS = 45_000; // for programs that retry for ever

interface Way {
  readonly agent: BuiltInAgentName;
  readonly transport: string;
}
interface Scene {
  readonly options: Partial<RunOptions> & { readonly prompt: string };
  readonly script?: (request: SimRequest) => SimPlan | string;
  readonly answer?: (run: RunHandle, event: CodingAgentEvent) => Promise<void> | undefined;
  /** A run before it, in the same session, which is not recorded. */
  readonly after?: string;
}

/** What a recording's name begins with, by the way it was made. */
const WAYS: Readonly<Record<string, Way>> = {
  "claude-control": { agent: "claude", transport: "stream-json" },
  "codex-appserver": { agent: "codex", transport: "app-server" },
  gemini: { agent: "gemini", transport: "stream-json" },
  "gemini-acp": { agent: "gemini", transport: "acp" },
  copilot: { agent: "copilot", transport: "json" },
  "copilot-acp": { agent: "copilot", transport: "acp" },
  "opencode-server": { agent: "opencode", transport: "server" },
  "pi-rpc": { agent: "pi", transport: "rpc" },
};
const RECORDINGS: Readonly<Record<string, readonly string[]>> = {
  "claude-control": ["edit", "resumed", "structured", "err404", "err500"],
  "codex-appserver": ["edit", "resumed", "structured", "err404", "err429", "err500", "nosession"],
  gemini: ["err404", "err429"],
  "gemini-acp": ["edit", "err404", "err429", "err500"],
  copilot: ["err404", "err429"],
  "copilot-acp": ["edit", "nosession"],
  "opencode-server": [
    "text",
    "tool",
    "edit",
    "deny",
    "resumed",
    "structured",
    "err401",
    "err404",
    "err429",
    "err500",
    "cut",
    "nosession",
  ],
  "pi-rpc": ["resumed", "err404", "err429", "err500"],
};

const SCHEMA = {
  type: "object",
  properties: { answer: { type: "integer" } },
  required: ["answer"],
  additionalProperties: false,
};
const failing = (mode: string): Scene => ({
  options: { prompt: `[[${mode}]] x`, timeoutMs: ENDLESS_MS, approvalMode: "yolo" },
});
const SCENES: Readonly<Record<string, () => Scene>> = {
  text: () => ({ options: { prompt: "[[text]] x", approvalMode: "yolo" } }),
  tool: () => ({ options: { prompt: "[[tool]] x", approvalMode: "yolo" } }),
  resumed: () => ({ options: { prompt: "[[text]] two", approvalMode: "yolo" }, after: "[[tool]] one" }),
  structured: () => ({
    options: { prompt: "answer", approvalMode: "yolo", outputSchema: SCHEMA },
    script: structured,
  }),
  edit: () => ({
    options: { prompt: "please write", approvalMode: "prompt" },
    script: changedCall(),
    answer: (run, event) =>
      event.type === "approval-requested" ? run.approve(event.id, changed(event.input)) : undefined,
  }),
  deny: () => ({
    options: { prompt: "[[write]] x", approvalMode: "prompt" },
    answer: (run, event) =>
      event.type === "approval-requested" ? run.deny(event.id, "not today") : undefined,
  }),
  err401: () => failing("err401"),
  err404: () => failing("err404"),
  err429: () => failing("err429"),
  err500: () => failing("err500"),
  cut: () => failing("cut"),
  nosession: () => ({ options: { prompt: "[[text]] x", sessionId: "99999999-1111-4111-8111-111111111111" } }),
};

const wanted = process.argv.slice(2);
for (const [way, scenes] of Object.entries(RECORDINGS)) {
  for (const scene of scenes) {
    const name = `${way}-${scene}`;
    if (wanted.length > 0 && !wanted.some((start) => name.startsWith(start))) continue;
    const recorded = await record(WAYS[way] as Way, (SCENES[scene] as () => Scene)());
    writeFileSync(new URL(`${name}.jsonl`, FOLDER), `${recorded.lines.join("\n")}\n`);
    console.log(`${name}: ${recorded.lines.length} lines, ${JSON.stringify(recorded.ended)}`);
  }
}

async function record({ agent, transport }: Way, scene: Scene) {
  const place = await makeProbePlace();
  const sim = await startSim();
  try {
    const wiring = wireToSim(agent, sim.url, place.home);
    if (!wiring) throw new Error(`${agent} cannot be pointed at a simulated model`);
    await place.write(wiring.files);
    const client = createClient({ environment: { PATH: pathWith([agent]), ...wiring.env } });
    const adapter = client.adapters.get(agent);
    const lines: string[] = [];
    const isTwoWay = !["stream-json", "json"].includes(transport) || agent === "claude";
    const keep = (dir: "a2c" | "c2a", line: string) =>
      lines.push(...written(line, dir, isTwoWay).map((text) => anonymous(text, place, sim)));
    client.adapters.register({
      ...adapter,
      open(options, runPlace) {
        const run = adapter.open(options, runPlace);
        return {
          ...run,
          onLine(line) {
            keep("a2c", line);
            return run.onLine(line);
          },
          onSent(line) {
            keep("c2a", line);
            return run.onSent?.(line) ?? { events: [] };
          },
        };
      },
    });
    const base = {
      agent,
      transport,
      model: wiring.model,
      cwd: place.cwd,
      env: wiring.env,
      timeoutMs: 90_000,
    };
    const before =
      scene.after === undefined
        ? undefined
        : await client.run({ ...base, prompt: scene.after, approvalMode: "yolo" }).result;
    lines.length = 0;
    sim.setScript(scene.script);
    const session = before?.sessionId === undefined ? {} : { sessionId: before.sessionId };
    const run = client.run({ ...base, ...session, ...scene.options });
    for await (const event of run) await scene.answer?.(run, event);
    const { text: _, ...ended } = await run.result;
    return { lines, ended };
  } finally {
    await sim.close();
    await place.remove();
  }
}

function written(line: string, dir: "a2c" | "c2a", isTwoWay: boolean): string[] {
  const message = shortened(parsed(line));
  if (isTwoWay) return [JSON.stringify({ dir, msg: message })];
  return dir === "a2c" ? [typeof message === "string" ? message : JSON.stringify(message)] : [];
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function shortened(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > MOST_CHARS ? `${value.slice(0, MOST_CHARS)}...` : value;
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shortened(inner)]));
}

function anonymous(line: string, { home, cwd }: ProbePlace, { url }: Sim): string {
  return line
    .replaceAll(cwd, "/workspace")
    .replaceAll(home, "/home/user")
    .replaceAll(new URL(url).host, "127.0.0.1:4010");
}

/** The model asks to write, and makes the call that it is told to make instead, once. */
function changedCall(): (request: SimRequest) => string {
  let isMade = false;
  return (request) => {
    if (request.tools.length === 0 || isMade) return "text";
    isMade = JSON.stringify(request.body).includes("Make exactly this call");
    if (isMade) return "run touch other-made.txt && echo made";
    return request.isToolDone ? "text" : "run touch sim-made.txt && echo made";
  };
}

function changed(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input).replaceAll("sim-made.txt", "other-made.txt"));
}

function structured({ tools, isToolDone }: SimRequest): SimPlan {
  const tool = tools.find(({ name }) => /StructuredOutput/i.test(name));
  const call = tool && !isToolDone ? { tool, input: { answer: 42 }, text: "" } : null;
  return { kind: "answer", thinking: null, text: '{"answer":42}', call, isSlow: false };
}
