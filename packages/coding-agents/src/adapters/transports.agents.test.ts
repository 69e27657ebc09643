/**
 * What runs rely on, tested on every transport of the real programs: the exact prompt, images, edited and denied calls,
 * costs of new and resumed sessions, provider errors, a broken stream, limits, and answers by a schema.
 */

import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { MANIFESTS } from "../built-in/manifests.ts";
import { IMAGE_BASE64 } from "../doctor/probe-place.ts";
import { IMAGE_ON_WIRE } from "../doctor/probe-scenarios.ts";
import { isInCache, newHome } from "../fixtures/real-agent.ts";
import { endStrays } from "../runner/process-group.ts";
import type { RunHandle } from "../runner/run-handle.ts";
import type { SimRequest } from "../sim/sim-request.ts";
import { type Sim, startSim } from "../sim/sim-server.ts";

const AGENTS: readonly BuiltInAgentName[] = ["claude", "codex", "gemini", "copilot", "opencode", "pi"];
const WAYS = AGENTS.flatMap((name) =>
  MANIFESTS[name].transports.map((transport) => ({
    name,
    transport: transport.name,
    can: { ...MANIFESTS[name].capabilities, ...transport.differs },
  })),
);
const PROMPT =
  " \t[[text]] \"quoted\" 'single' \\back\nnew line  two  spaces \t tab $HOME `tick` é 漢 --flag @x /y end \n\n";

let sim: Sim;
beforeAll(async () => {
  sim = await startSim();
});
afterAll(() => sim.close());

describe.each(WAYS)("$name over $transport", ({ name, transport, can }) => {
  const real = test.skipIf(!isInCache(name));
  const asking = test.skipIf(!isInCache(name) || !can.approvalModes.includes("prompt"));
  const base: Partial<RunOptions> = { transport };

  real("gets the prompt byte for byte", async () => {
    const home = newHome(name, sim);
    writeFileSync(join(home.cwd, "x"), "MENTIONED-FILE"); // a program that reads `@x` as its content has changed the prompt
    const { result } = await home.run({ ...base, prompt: PROMPT });
    expect(result.outcome).toBe("done");
    expect(sent()).toContain(JSON.stringify(PROMPT).slice(1, -1));
    expect(sent()).not.toContain("MENTIONED-FILE");
  });

  real("gets a prompt of 200 kB, longer than a command line takes", async () => {
    const prompt = `[[text]] ${"0123456789 é\n".repeat(14_000)}end`;
    const { result } = await newHome(name, sim).run({ ...base, prompt });
    expect(result.outcome).toBe("done");
    expect(sent()).toContain(JSON.stringify(prompt).slice(1, -1));
  });

  real.each(["-x [[text]]", "/help [[text]]", "/init [[text]]", "/compact [[text]]", "$x [[text]]"])(
    "gets a prompt that begins with %j as a message, or refuses it",
    async (prompt) => {
      const { result } = await newHome(name, sim).run({ ...base, prompt });
      if (result.code === "coding_agent_text_refused") return expect(sim.requests).toEqual([]);
      expect(result.outcome).toBe("done");
      expect(sent()).toContain(prompt);
    },
  );

  const takesMessages = test.skipIf(!isInCache(name) || !can.supportsStdinInjection);
  takesMessages.each(["/allow-all", "/compact now", "/help"])(
    "gets %j while running as a message, and goes on asking",
    async (text) => {
      const script = (request: SimRequest) => {
        const isTold = JSON.stringify(request.body).includes(text);
        if (!isTold) return "slow";
        return request.isToolDone ? "text" : "run touch sim-made.txt && echo made";
      };
      const own = await startSim({ dripMs: 50, script });
      onTestFinished(() => own.close());
      const home = newHome(name, own);
      let isSent = false;
      const told = async (run: RunHandle, event: CodingAgentEvent) => {
        if (event.type === "approval-requested") return run.deny(event.id, "not today");
        if (event.type !== "text-delta" || isSent) return;
        isSent = true;
        await run.send(text);
      };
      const approvalMode = can.approvalModes.includes("prompt") ? "prompt" : "yolo";
      const { result } = await home.run({ ...base, prompt: "one", approvalMode }, told);
      expect(result.outcome).toBe("done");
      expect(JSON.stringify(own.requests.map(({ body }) => body))).toContain(text);
      expect(existsSync(join(home.cwd, "sim-made.txt"))).toBe(approvalMode === "yolo");
    },
  );

  real.each(["dot.png", "50% #1 (a).png", "data"])("gets an image by %j to the model", async (by) => {
    const home = newHome(name, sim);
    writeFileSync(join(home.cwd, by), Buffer.from(IMAGE_BASE64, "base64"));
    const attachment =
      by !== "data" ? { path: by } : { data: IMAGE_BASE64, mimeType: "image/png", name: "dot.png" };
    const { result } = await home.run({ ...base, prompt: "[[text]] what?", attachments: [attachment] });
    expect(result.outcome).toBe("done");
    expect(sent()).toMatch(IMAGE_ON_WIRE);
  });

  const takesFiles = test.skipIf(!isInCache(name) || !can.supportsFileAttachments);
  takesFiles.each(["path", "data", "path from elsewhere"])(
    "gets the text of a file by its %s to the model",
    async (by) => {
      const home = newHome(name, sim);
      const text = `WORD-INSIDE-${by.length}`;
      const place = by === "path" ? home.cwd : join(home.cwd, "..");
      const path = join(place, "notes.txt");
      writeFileSync(path, text);
      const data = Buffer.from(text).toString("base64");
      const attachment = by === "data" ? { data, mimeType: "text/plain", name: "notes.txt" } : { path };
      const asked = { ...base, prompt: "[[text]] what?", attachments: [attachment] };
      const { result } = await home.run(asked, undefined, can.supportsMCP ? "off" : "on");
      expect(result.outcome).toBe("done");
      expect(sent()).toContain(text);
    },
  );

  asking("runs the edited call, never the model's original", async () => {
    const home = newHome(name, sim);
    sim.setScript(changedCall());
    const asked: CodingAgentEvent[] = [];
    const answer = (run: RunHandle, event: CodingAgentEvent) => {
      if (event.type !== "approval-requested") return undefined;
      asked.push(event);
      return run.approve(event.id, changed(event.input));
    };
    const { result } = await home.run({ ...base, prompt: "please write", approvalMode: "prompt" }, answer);
    sim.setScript(undefined);
    expect(result.outcome).toBe("done");
    expect(JSON.stringify(asked[0])).toContain("sim-made.txt"); // the question shows the arguments
    expect(existsSync(join(home.cwd, "sim-made.txt"))).toBe(false);
    expect(existsSync(join(home.cwd, "other-made.txt"))).toBe(true);
  });

  real("reports the cost of this run only, even in a resumed session", async () => {
    const home = newHome(name, sim);
    const first = await home.run({ ...base, prompt: "[[tool]] one" });
    expect(first.result.usage).toMatchObject({ costUsd: expect.any(Number), costSource: expect.any(String) });
    const { costUsd: two = 0 } = first.result.usage ?? {};
    expect(two).toBeGreaterThan(0);
    if (!can.canResume) return;
    const again = await home.run({ ...base, prompt: "[[text]] two", sessionId: first.result.sessionId });
    // One call of the model where the first run made two.
    expect(again.result.usage?.costUsd).toBeCloseTo(two / 2, 6);
    expect(again.result.sessionId).toBe(first.result.sessionId);
  });

  test.skipIf(!isInCache(name) || can.reportsUsage !== "live")("stops at its cost limit", async () => {
    sim.setScript((request) => (request.tools.length > 0 ? "run sleep 1" : "text"));
    const { result } = await newHome(name, sim).run({
      ...base,
      prompt: "go on for ever",
      maxCostUsd: 0.0009,
    });
    sim.setScript(undefined);
    expect(result).toMatchObject({ outcome: "limit", limit: "cost" });
    expect(sim.requests.length).toBeLessThan(12);
  });

  real.each([
    ["err401", "coding_agent_not_logged_in"],
    ["err404", "coding_agent_model_unknown"],
    ["err429", "coding_agent_rate_limited"],
    ["err500", "coding_agent_provider_down"],
  ])("reports %s as %s, in readable words", async (mode, code) => {
    const options = { ...base, prompt: `[[${mode}]] x`, timeoutMs: 45_000 };
    const { events, result } = await newHome(name, sim).run(options);
    const retries = events.filter((event) => event.type === "retry");
    // A program that goes on trying beyond the time limit says so while it tries, and the limit says why.
    const outcome = result.limit === "time" ? "limit" : "failed";
    expect(result).toMatchObject({ outcome, code, nextStep: expect.any(String) });
    // What it did again without success is told, each time as what it was.
    expect(new Set(retries.map((event) => event.code))).toEqual(new Set(retries.length > 0 ? [code] : []));
    const asked = sim.requests.filter(({ marker }) => marker === mode).length;
    if (mode !== "err401" && asked > 1) expect(retries.length).toBeGreaterThan(0);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what terminals obey must not be in a message
    expect(result.message).not.toMatch(/\u001b|[{}]/);
  });

  real("reports that it was killed, in readable words", async () => {
    const { result } = await newHome(name, sim).run({ ...base, prompt: "[[slow]] x" }, async (run, event) => {
      if (event.type !== "run-started") return;
      await expect.poll(() => sim.requests.length, { timeout: 60_000 }).toBeGreaterThan(0);
      await endStrays(run.id);
    });
    expect(result).toMatchObject({ outcome: "failed", code: "coding_agent_killed" });
    expect(result.message).not.toMatch(/[{}]/);
  });

  test.skipIf(!isInCache(name) || !can.supportsStructuredOutput)("answers by a schema", async () => {
    const outputSchema = {
      type: "object",
      properties: { answer: { type: "integer" } },
      required: ["answer"],
      additionalProperties: false,
    };
    sim.setScript(structured);
    const { result } = await newHome(name, sim).run({ ...base, prompt: "answer", outputSchema });
    sim.setScript(undefined);
    expect(result).toMatchObject({ outcome: "done", json: { answer: 42 } });
  });

  test.skipIf(!isInCache(name) || can.supportsStdinInjection)("refuses a message while running", async () => {
    const refusals: unknown[] = [];
    await newHome(name, sim).run({ ...base, prompt: "[[text]] x" }, async (run, event) => {
      if (event.type === "run-started") await run.send("more").catch((error) => refusals.push(error));
    });
    expect(refusals).toEqual([expect.objectContaining({ capability: "stdinInjection" })]);
  });
});

const sent = () => JSON.stringify(sim.requests.map(({ body }) => body));

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

/** The same arguments for another file, wherever the program puts the command. */
const changed = (input: unknown): unknown =>
  JSON.parse(JSON.stringify(input).replaceAll("sim-made.txt", "other-made.txt"));

const structured = (request: SimRequest) => {
  const tool = request.tools.find(({ name }) => /StructuredOutput/i.test(name));
  const call = tool && !request.isToolDone ? { tool, input: { answer: 42 }, text: "" } : null;
  return { kind: "answer" as const, thinking: null, text: '{"answer":42}', call, isSlow: false };
};
