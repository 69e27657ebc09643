/**
 * What a server does with several real programs: work in a real folder, answers side by side, limits of cost, a policy that
 * changes in mid-session. Programs that are not in the cache are skipped, by name.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Sim } from "@capstan/coding-agents";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { last, results, spoken } from "../../../../tools/engine-under-test.ts";
import type { HarnessUnderTest } from "./fixtures/harness-under-test.ts";
import { isInstalled, modelOf, NATIVE_MODEL, PI, REAL, realPrograms } from "./fixtures/real-programs.ts";

const machine = realpathSync(mkdtempSync(join(tmpdir(), "capstan-real-folder-")));
let sim: Sim;
let bench: HarnessUnderTest;
let stop: () => Promise<void>;
beforeAll(async () => {
  chmodSync(machine, 0o755); // the program's user reads the repository
  ({ sim, bench, stop } = await realPrograms({ CAPSTAN_CODING_AGENT_FOLDERS: machine }));
});
afterAll(async () => {
  await stop();
  rmSync(machine, { recursive: true, force: true });
});
beforeEach(() => sim.clear());

const call = (method: string, path: string, body?: object) => bench.server.call(method, path, body);
const git = (folder: string, ...args: string[]) =>
  execFileSync("git", ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", ...args], {
    cwd: folder,
    encoding: "utf8",
  }).trim();

function repository(name: string): string {
  const folder = join(machine, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "a.txt"), "one\n");
  git(folder, "init", "-q", "-b", "main");
  git(folder, "add", "-A");
  git(folder, "commit", "-qm", "by Ann");
  return folder;
}

/** They keep their own tools and run as the session's user. */
describe.each(REAL)("$name in a real folder", ({ name: harness, model }) => {
  const real = test.skipIf(!isInstalled(harness));

  real("works on a branch, and a person applies the change or discards it", async () => {
    const folder = repository(harness);
    const session = await bench.session({ harness, model, allow_native_tools: true, folder });
    const write = async (command: string) => {
      const question = await bench.turn(session, `[[run ${command}]]`);
      expect(last(question)).toMatchObject({ outcome: { type: "interrupt" } });
      const events = await bench.answer(session, { decision: "approve" });
      expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    };
    await write("echo two >> a.txt && touch b.txt");
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\n"); // the folder itself is as it was
    const { body: open } = await call("GET", `/v1/sessions/${session}/changes`);
    expect(open).toMatchObject({ status: "open", problem: null });
    expect(open.files).toMatchObject([
      { path: "a.txt", change: "changed", diff: expect.stringContaining("+two") },
      { path: "b.txt", change: "added" },
    ]);
    const applied = await call("POST", `/v1/sessions/${session}/changes/apply`, { message: "Count on" });
    expect(applied.body).toMatchObject({ status: "applied" });
    expect(readFileSync(join(folder, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(git(folder, "log", "-1", "--format=%s")).toBe("Count on");

    await write("rm a.txt && touch c.txt");
    const discarded = await call("POST", `/v1/sessions/${session}/changes/discard`, {});
    expect(discarded.status).toBe(200);
    expect([existsSync(join(folder, "a.txt")), existsSync(join(folder, "c.txt"))]).toEqual([true, false]);
    expect(git(folder, "status", "--porcelain")).toBe("");
  });
});

const COMPARED = REAL.filter(({ name }) => isInstalled(name));

test.skipIf(COMPARED.length < 3)(
  "the same message is answered by every program and the native loop side by side, with the cost of each, and one is kept",
  async () => {
    const session = await bench.session({ harness: "claude", model: modelOf("claude") });
    await bench.turn(session, "The word is heron. [[text]]");
    const programs = [
      ...COMPARED.map(({ name: harness, model }) => ({ harness, model })),
      { harness: "native", model: NATIVE_MODEL },
    ];
    const content = '[[call add {"a":2,"b":40}]]';
    const started = await call("POST", `/v1/sessions/${session}/comparisons`, { content, in: programs });
    expect(started.status).toBe(201);
    const path = `/v1/sessions/${session}/comparisons/${started.body.id}`;
    const states = async () =>
      (await call("GET", path)).body.branches.map(({ status }: { status: string }) => status);
    await expect.poll(states, { timeout: 200_000, interval: 500 }).toEqual(programs.map(() => "done"));
    const { branches } = (await call("GET", path)).body;
    for (const [index, { harness }] of programs.entries()) {
      const { continue_in, answer, error, seconds, usage } = branches[index];
      expect({ harness: continue_in.harness, answer, error }).toMatchObject({
        harness,
        answer: expect.stringContaining("42"),
        error: null,
      });
      expect(seconds).toBeGreaterThan(0);
      if (harness !== "native")
        expect({ harness, cost: usage.cost_usd > 0 }).toEqual({ harness, cost: true });
    }
    const kept = await call("POST", `${path}/keep`, { session_id: branches[1].session_id });
    expect(kept.body).toMatchObject({ archived: false });
    expect((await call("GET", `/v1/sessions/${session}`)).body.archived).toBe(true);
  },
);

describe.each(REAL)("$name", ({ name: harness, model }) => {
  const real = test.skipIf(!isInstalled(harness));

  real("is stopped by the agent's cost limit", async () => {
    let rounds = 0;
    sim.setScript(({ tools }) => (tools.length > 0 ? `call add {"a":${rounds++},"b":1}` : "text")); // without an end
    const session = await bench.session({ harness, model, limits: { max_cost_usd: 0.002 } });
    const events = await bench.turn(session, "Go on for ever.");
    sim.setScript(undefined);
    expect(last(events)).toMatchObject({ type: "RUN_ERROR", code: "run_cost_limit" });
  });

  real("is refused a call as soon as the policy denies it", async () => {
    const made = await call("POST", "/v1/agents", {
      name: "Watched",
      capabilities: ["bench"],
      harness,
      model,
    });
    const { body } = await call("POST", "/v1/sessions", { agent_id: made.body.id });
    const add = '[[call add {"a":2,"b":3}]]';
    expect(results(await bench.turn(body.id, add))).toEqual(['{"sum":5}']);
    await call("PATCH", `/v1/agents/${made.body.id}`, { tool_policies: { add: "deny" } });
    expect(String(results(await bench.turn(body.id, add)))).not.toContain("sum");
  });
});

test.skipIf(!isInstalled(PI.name))(
  "pi runs an agent that has no tools, and remembers the turn before",
  async () => {
    const session = await bench.session({ harness: PI.name, model: PI.model, capabilities: [] });
    expect(spoken(await bench.turn(session, "The word is heron. [[text]]"))).toContain(
      "The sim answer is 42.",
    );
    sim.clear();
    const events = await bench.turn(session, "And now? [[text]]");
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(JSON.stringify(sim.requests[0]?.body)).toMatch(/heron[\s\S]*And now\?/);
  },
);
