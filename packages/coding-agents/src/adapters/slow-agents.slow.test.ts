/**
 * omp and OpenClaw, which take their time (OpenClaw up to half a minute a run), against a simulated model on loopback.
 * Skipped, by name, when they are not in the cache: `node tools/install-agents.ts omp openclaw` puts them there.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { CodingAgentEvent } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import { isInCache, newHome } from "../fixtures/real-agent.ts";
import type { RunHandle } from "../runner/run-handle.ts";
import { SIM_ANSWER } from "../sim/sim-plan.ts";
import { type Sim, startSim } from "../sim/sim-server.ts";

let sim: Sim;
beforeAll(async () => {
  sim = await startSim({ dripMs: 100 });
});
afterAll(() => sim.close());

const SLOW: readonly BuiltInAgentName[] = ["omp", "openclaw"];
const lastPrompt = () => JSON.stringify(sim.requests.at(-1)?.body ?? {});

describe.each(SLOW)("%s", (name) => {
  const real = test.skipIf(!isInCache(name));
  const { canFork, supportsTextStreaming, approvalModes } = MANIFESTS[name].capabilities;

  real("answers", async () => {
    const { result } = await newHome(name, sim).run({ prompt: "hello [[text]]" });
    expect(result).toMatchObject({ outcome: "done", text: SIM_ANSWER, sessionId: expect.any(String) });
  });

  real("goes on with a session", async () => {
    const home = newHome(name, sim);
    const sessionId =
      name === "openclaw" ? "s1" : (await home.run({ prompt: "hello [[text]]" })).result.sessionId;
    if (name === "openclaw") await home.run({ prompt: "hello [[text]]", sessionId });
    const resumed = await home.run({ prompt: "again [[text]]", sessionId });
    expect(resumed.result).toMatchObject({ outcome: "done", sessionId });
    expect(lastPrompt()).toMatch(/hello[\s\S]*again/);
    const stored = await home.client.sessions.list(name);
    expect(stored).toMatchObject([{ id: sessionId, title: "hello [[text]]", model: expect.any(String) }]);
    const read = await home.client.sessions.read(name, stored[0]?.id ?? "");
    expect(read).toMatchObject({
      value: [
        { role: "user", text: "hello [[text]]" },
        { role: "assistant", text: SIM_ANSWER },
        { role: "user", text: "again [[text]]" },
        { role: "assistant", text: SIM_ANSWER },
      ],
    });
  });

  test.skipIf(!isInCache(name) || !canFork)("forks a session into another", async () => {
    const home = newHome(name, sim);
    const { result } = await home.run({ prompt: "root [[text]]" });
    const forked = await home.run({ prompt: "branch [[text]]", forkSessionId: result.sessionId });
    expect(forked.result.sessionId).not.toBe(result.sessionId);
    expect(lastPrompt()).toMatch(/root[\s\S]*branch/);
  });

  real("uses a tool, and says so", async () => {
    const { events, result } = await newHome(name, sim).run({ prompt: "[[tool]]", approvalMode: "yolo" });
    expect(result).toMatchObject({ outcome: "done", toolCalls: 1 });
    expect(events).toContainEqual(expect.objectContaining({ type: "tool-ended", isError: false }));
  });

  real("thinks as hard as it is told, on the wire", async () => {
    await newHome(name, sim).run({ prompt: "[[think]]", thinkingEffort: "high" });
    const efforts = sim.requests.map(
      ({ wire }) => (wire.reasoning as { effort?: string } | undefined)?.effort,
    );
    expect(efforts).toContain("high");
  });

  test.skipIf(!isInCache(name) || !approvalModes.includes("deny"))(
    "does not write when that is denied",
    async () => {
      const home = newHome(name, sim);
      const { events } = await home.run({ prompt: "[[write]]", approvalMode: "deny" });
      expect(existsSync(join(home.cwd, "sim-made.txt"))).toBe(false);
      expect(events).toContainEqual(expect.objectContaining({ type: "tool-ended", denied: true }));
    },
  );

  real("fails with the provider's 401", async () => {
    const { result } = await newHome(name, sim).run({ prompt: "[[err401]]" });
    expect(result).toMatchObject({ outcome: "failed", message: expect.stringMatching(/401|key|auth/i) });
  });

  test.skipIf(!isInCache(name) || !supportsTextStreaming)("stops when it is interrupted", async () => {
    const stop = (run: RunHandle, event: CodingAgentEvent) =>
      event.type === "text-delta" ? run.interrupt() : undefined;
    const { result } = await newHome(name, sim).run({ prompt: "[[slow]]", stream: "auto" }, stop);
    expect(result.outcome).toBe("aborted");
  });
});
