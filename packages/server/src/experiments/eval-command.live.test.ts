/** `capstan eval` in a build: the exit code says whether a change is good enough, and the files say why. */
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { effects, obeyPlan, shop } from "../replays/fixtures/shop.ts";

const item = (id: string) => ({
  id,
  input: `refund ${id} 20; say Refunded <${id}>.`,
  expected: `Refunded <${id}>.`,
  stubs: [{ tool: "refund", input: { id, amount: 20 }, output: "ok" }],
  recorded: { answer: `Refunded <${id}>.` },
});
const lines = (items: readonly object[]) => items.map((each) => `${JSON.stringify(each)}\n`).join("");

describe.each(STORES.slice(0, 1))("capstan eval on $name", ({ fresh }) => {
  let server: TestServer;
  let llm: ScriptedLlm;
  let folder: string;
  let file: string;
  beforeAll(async () => {
    llm = await scriptedLlm(obeyPlan);
    server = await testServer(await fresh(), llmEnvironment(llm), { config: { capabilities: [shop] } });
    const { id } = (await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["shop"] })).body;
    await server.call("PATCH", `/v1/agents/${id}`, { system_prompt: "say:Done.", save_as: "draft" });
    folder = await mkdtemp(join(tmpdir(), "capstan-eval-"));
    file = join(folder, "cases.jsonl");
    await writeFile(file, lines([item("1"), item("2"), item("3")]));
  });
  afterAll(async () => {
    await server?.stop();
    await llm?.close();
    await rm(folder, { recursive: true });
  });
  const evaluate = (...args: string[]) => typeCommand(server.url, ["eval", ...args]);
  const clerk = () => [file, "--agent", "Clerk", "--scorer", "exact"];

  test("passes when the means reach their thresholds, and fails below", async () => {
    const passed = await evaluate(...clerk(), "--threshold", "exact=1");
    expect([passed.code, passed.err]).toEqual([0, ""]);
    expect(passed.out).toContain("Passed");
    const failed = await evaluate(...clerk(), "--revision", "draft", "--threshold", "0.5");
    expect(failed.code).toBe(1);
    expect(failed.out).toContain("draft (revision 2): exact is 0, below 0.5");
    expect((await evaluate(...clerk(), "--threshold", "polite=1")).out).toContain(
      'there is no scorer "polite"',
    );
    expect(effects).toEqual([]);
  });

  test("fails when a revision is worse than live, with the regressions in files for the build", async () => {
    const [junit, markdown] = [join(folder, "report.xml"), join(folder, "comment.md")];
    const args = ["--revision", "draft", "--no-worse-than", "live", "--junit", junit, "--markdown", markdown];
    expect((await evaluate(...clerk(), ...args)).code).toBe(1);
    const xml = await readFile(junit, "utf8");
    expect(xml).toContain(
      '<testsuite name="live (revision 1)" tests="3" failures="0" errors="0" skipped="0">',
    );
    expect(xml).toContain(
      '<testsuite name="draft (revision 2)" tests="3" failures="3" errors="0" skipped="0">',
    );
    expect(xml).toContain('<testcase name="1" classname="exact"');
    const comment = await readFile(markdown, "utf8");
    expect(comment).toContain("❌ Not passed");
    expect(comment).toContain("- 1, exact, draft (revision 2): 1 -\\> 0 (the answer is another)");
    const same = await evaluate(...clerk(), "--revision", "1", "--no-worse-than", "live");
    expect(same.code).toBe(0);
  });

  test("prints everything as JSON, every revision with every model", async () => {
    const models = ["openai-compatible/scripted", "openai-compatible/scripted-large"];
    const args = [
      "--revision",
      "live",
      "--revision",
      "draft",
      ...models.flatMap((model) => ["--model", model]),
      "--json",
    ];
    const { out } = await evaluate(...clerk(), ...args);
    const report = JSON.parse(out);
    expect(report.variants).toHaveLength(4);
    expect(report.cells).toHaveLength(12);
    expect(
      report.figures.variants.map(({ scorers }: { scorers: { mean: number }[] }) => scorers[0]?.mean),
    ).toEqual([1, 0, 0, 0]);
  });

  test("scores recordings without a server, and without a provider", async () => {
    llm.requests.length = 0;
    expect((await evaluate(...clerk(), "--model", "recorded", "--threshold", "1")).code).toBe(0);
    expect(llm.requests).toEqual([]);
    const nowhere = (...args: string[]) =>
      typeCommand("", ["eval", ...args], { reach: () => Promise.reject(new Error("no server is asked")) });
    expect((await nowhere(file, "--offline", "--scorer", "exact", "--threshold", "1")).code).toBe(0);
    const worse = await nowhere(file, "--offline", "--scorer", "contains=Denied", "--threshold", "1");
    expect([worse.code, worse.out.includes("below 1")]).toEqual([1, true]);
    expect((await nowhere(file, "--offline", "--scorer", "judge=Is it polite?")).code).toBe(1);
  });

  test.each<[string, string[], string]>([
    ["no agent", ["--scorer", "exact"], "--agent"],
    ["a threshold that is none", ["--agent", "Clerk", "--threshold", "high"], "--threshold high"],
    ["a scorer that is none", ["--agent", "Clerk", "--scorer", "mood=good"], "--scorer mood=good"],
    ["no scorer", ["--agent", "Clerk"], "Nothing would be measured"],
  ])("refuses %s", async (_what, args, said) => {
    const { code, err } = await evaluate(file, ...args);
    expect([code, err.includes(said)]).toEqual([1, true]);
  });

  test("asks people in the terminal", async () => {
    const { out } = await evaluate(file, "--agent", "Clerk", "--scorer", "human=Is it right?", "--json");
    const id = JSON.parse(out).experiment_id;
    const answers = ["y", "n", "0.5"];
    const reviewed = await typeCommand(server.url, ["experiments", "review", id], { answers });
    expect(reviewed.out).toContain("3 scored, 0 left");
    const shown = await typeCommand(server.url, ["experiments", "show", id, "--json"]);
    expect(JSON.parse(shown.out).figures.variants[0].scorers).toMatchObject([{ scorer: "human", mean: 0.5 }]);
  });
});
