/** Agents run by the real programs, with a simulated model on loopback. Programs that are not in the cache are skipped, by name. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import type { BuiltInAgentName, Sim, SimRequest } from "@capstan/coding-agents";
import type { RunEvent } from "@capstan/core";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { AGENTS_CACHE } from "../../../../tools/agents-cache.ts";
import { last, results, spoken } from "../../../../tools/engine-under-test.ts";
import type { HarnessUnderTest } from "./fixtures/harness-under-test.ts";
import {
  AS_SERVER,
  isInstalled,
  modelOf,
  NATIVE_MODEL,
  REAL,
  realPrograms,
} from "./fixtures/real-programs.ts";

const isRoot = process.getuid?.() === 0;

let sim: Sim;
let bench: HarnessUnderTest;
let stop: () => Promise<void>;
beforeAll(async () => {
  ({ sim, bench, stop } = await realPrograms());
});
afterAll(() => stop());
beforeEach(() => sim.clear());

const asked = () => sim.requests.filter(({ tools }) => tools.length > 0);
const toolNames = (request: SimRequest | undefined) =>
  request?.tools.map(({ name, namespace = "" }) => namespace + name) ?? [];
const call = (tool: string, input: object) => `Please. [[call ${tool} ${JSON.stringify(input)}]]`;

/** A turn without its ids and times. */
const shape = (events: readonly RunEvent[]) => ({
  calls: events.flatMap((event) => (event.type === "TOOL_CALL_START" ? [event.toolCallName] : [])),
  arguments: events.flatMap((event) => (event.type === "TOOL_CALL_ARGS" ? [JSON.parse(event.delta)] : [])),
  results: results(events),
  text: spoken(events).includes("The sim answer is 42."),
  end: last(events).type,
});

const installed = REAL.filter(({ name }) => isInstalled(name));
const several = test.skipIf(installed.length < 3);

several(
  "the same capability is called from the native loop and from three programs or more, with the same result",
  async () => {
    const wanted = {
      calls: ["add"],
      arguments: [{ a: 2, b: 3 }],
      results: ['{"sum":5}'],
      text: true,
      end: "RUN_FINISHED",
    };
    const native = await bench.session({ harness: "native", model: NATIVE_MODEL });
    expect(shape(await bench.turn(native, call("add", { a: 2, b: 3 })))).toEqual(wanted);
    for (const { name: harness, model } of installed) {
      const session = await bench.session({ harness, model });
      const events = await bench.turn(session, call("add", { a: 2, b: 3 }));
      expect({ harness, ...shape(events) }).toEqual({ harness, ...wanted });
    }
  },
);

describe.each(REAL)("$name as a harness", ({ name, model, searches, keeps }) => {
  const real = test.skipIf(!isInstalled(name));
  const session = (more: object = {}) => bench.session({ harness: name, model, ...more });

  real("has the composed prompt and tools, and none of its own", async () => {
    await bench.turn(await session({ tool_policies: { send: "deny" } }), call("add", { a: 2, b: 3 }));
    const request = asked().at(-1);
    const own = toolNames(request).filter((tool) => /capstan/.test(tool));
    expect(own.map((tool) => tool.replace(/^.*capstan[_-]*/, "")).toSorted()).toEqual(
      searches ? ["add"] : ["add", "blocked", "pick"],
    );
    expect(toolNames(request).filter((tool) => NATIVE.test(tool))).toEqual(keeps ? [keeps] : []);
    expect(JSON.stringify(request?.body)).toContain("You are on the bench.");
  });

  test.skipIf(!isInstalled(name) || !keeps)("writes nothing with the tool that it keeps", async () => {
    const id = await session();
    const text = "*** Begin Patch\n*** Add File: planted.txt\n+planted\n*** End Patch";
    await bench.turn(id, call(keeps ?? "", { text }));
    expect(JSON.stringify(asked().at(-1)?.body)).toMatch(/rejected|read-only|not permitted/i); // its model was told
    const { status } = await bench.server.call("GET", `/v1/sessions/${id}/files/planted.txt`);
    expect(status).toBe(404);
  });

  test.skipIf(!isInstalled(name) || !isRoot || AS_SERVER.includes(name))(
    "runs as the user whose session it is, not as the server",
    async () => {
      await bench.turn(await session(), "[[text]]"); // whoever asks a program for its version is the server, once
      const uids = new Set<number>();
      const watch = setInterval(() => {
        for (const { uid } of processesIn(AGENTS_CACHE)) uids.add(uid);
      }, 50);
      await bench.turn(await session(), call("add", { a: 2, b: 3 }));
      clearInterval(watch);
      expect([...uids]).toEqual([expect.any(Number)]);
      expect(uids.has(0)).toBe(false);
    },
  );

  real("is denied what the gate denies", async () => {
    const id = await session();
    const events = await bench.turn(id, call("blocked", {}));
    expect(String(results(events))).toMatch(/tool_denied[\s\S]*not on this bench/);
    expect(JSON.stringify(asked().at(-1)?.body)).toContain("not on this bench"); // and its model was told
    expect(last(events).type).toBe("RUN_FINISHED");
  });

  real("waits for a person, and continues with the answer", async () => {
    const id = await session();
    const question = await bench.turn(id, call("send", { to: "a@b.c" }));
    expect(last(question)).toMatchObject({ outcome: { type: "interrupt" } });
    const events = await bench.answer(id, { decision: "approve", edited_args: { to: "x@y.z" } });
    expect(results(events)).toEqual(["sent to x@y.z"]);
    expect(JSON.stringify(asked().at(-1)?.body)).toContain("sent to x@y.z");
    expect(spoken(events)).toContain("The sim answer is 42.");
  });

  real("remembers the previous turn", async () => {
    const id = await session();
    await bench.turn(id, "The word is heron. [[text]]");
    sim.clear();
    const events = await bench.turn(id, `And now? ${call("add", { a: 1, b: 1 })}`);
    expect(results(events)).toEqual(['{"sum":2}']);
    expect(JSON.stringify(asked()[0]?.body)).toMatch(/heron[\s\S]*And now\?/);
  });
});

describe.each(REAL)("$name without the session that it had", ({ name, model }) => {
  test.skipIf(!isInstalled(name))("is sent the conversation again, and the person is told", async () => {
    const id = await bench.session({ harness: name, model });
    await bench.turn(id, "The word is heron. [[text]]");
    await bench.server.services.database.pool.query(
      "update harness_sessions set cli_session = $2 where session_id = $1",
      [id, "99999999-1111-4111-8111-111111111111"],
    );
    sim.clear();
    const events = await bench.turn(id, `And now? ${call("add", { a: 1, b: 1 })}`);
    expect(results(events)).toEqual(['{"sum":2}']);
    expect(JSON.stringify(asked()[0]?.body)).toMatch(/heron[\s\S]*And now\?/);
    expect(JSON.stringify(events)).toContain(`${name} no longer has its session`);
  });
});

describe.each(REAL)("$name with its own tools allowed", ({ name, model }) => {
  const real = test.skipIf(!isInstalled(name));
  const session = () => bench.session({ harness: name, model, allow_native_tools: true });

  real("asks a person through the inbox, and what it writes is in the session", async () => {
    const id = await session();
    const question = await bench.turn(id, "[[write]]");
    expect(last(question)).toMatchObject({
      outcome: { type: "interrupt", interrupts: [{ metadata: { capabilityId: `harness.${name}` } }] },
    });
    const events = await bench.answer(id, { decision: "approve" });
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    const { status } = await bench.server.call("GET", `/v1/sessions/${id}/files/sim-made.txt`);
    expect(status).toBe(200);
  });

  real("does not ask twice about the agent's own tools: they pass the gate", async () => {
    const events = await bench.turn(await session(), call("add", { a: 2, b: 3 }));
    expect(results(events)).toEqual(['{"sum":5}']);
  });
});

const WALK: readonly BuiltInAgentName[] = ["claude", "codex", "gemini"];

test.skipIf(!WALK.every(isInstalled))(
  "one session continues in claude, codex, gemini, the native loop and claude again",
  async () => {
    const [first = "claude"] = WALK;
    const id = await bench.session({ harness: first, model: modelOf(first) });
    await bench.turn(id, "The word is heron. [[text]]");
    await bench.server.call("PUT", `/v1/sessions/${id}/files/notes.txt`, { kept: true });
    const stations = [...[...WALK.slice(1), first].map((harness) => ({ harness, model: modelOf(harness) }))];
    stations.splice(2, 0, { harness: "native" as BuiltInAgentName, model: NATIVE_MODEL });
    for (const [index, continue_in] of stations.entries()) {
      const report = await bench.server.call(
        "GET",
        `/v1/sessions/${id}/compatibility?in=${continue_in.harness}&model=${continue_in.model}`,
      );
      expect(report.body).toMatchObject({ refusal: null });
      const moved = await bench.server.call("PATCH", `/v1/sessions/${id}`, { continue_in });
      expect(moved.body).toMatchObject({ continue_in: { harness: continue_in.harness } });
      sim.clear();
      const events = await bench.turn(id, call("add", { a: index, b: 40 }));
      expect({ continue_in, results: results(events) }).toEqual({
        continue_in,
        results: [JSON.stringify({ sum: index + 40 })],
      });
      const said = JSON.stringify(asked()[0]?.body);
      expect(said).toContain("The word is heron."); // the history came along
      if (index > 0) expect(said).toMatch(new RegExp(`sum\\W+${index + 39}`)); // and the result before
    }
    const { status } = await bench.server.call("GET", `/v1/sessions/${id}/files/notes.txt`);
    expect(status).toBe(200);
  },
);

/** Programs whose command line names a file of this folder, by their user: those of this test's server, other tests run some too. */
function processesIn(folder: string): { readonly uid: number }[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(folder)) return [];
      return isOurs(Number(pid)) ? [{ uid: statSync(`/proc/${pid}`).uid }] : [];
    } catch {
      return []; // it has ended
    }
  });
}

function isOurs(pid: number): boolean {
  if (pid <= 1 || pid === process.pid) return pid === process.pid;
  const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "utf8"))?.[1];
  return isOurs(Number(parent));
}

/** What they call the tools with which one reads, writes, runs or fetches. */
const NATIVE =
  /^(Bash|bash|exec|exec_command|write_stdin|shell|run_shell_command|Read|read|read_file|view|Write|write|write_file|Edit|edit|replace|apply_patch|grep|grep_search|glob|rg|webfetch|web_fetch|WebFetch|task|Agent|spawn_agent)$/;
