import { describe, expect, test } from "vitest";
import { z } from "zod";
import { type Capability, defineCapability } from "../capability.ts";
import { ok } from "../result.ts";
import { defineTool } from "../tool.ts";
import { intentOf, matchedCapabilities, NO_INTENT, plan } from "./plan.ts";
import type { RankResult } from "./rank.ts";
import { type ExecutedStep, type TaskStep, taskStatus } from "./task-contract.ts";

const tool = (name: string, input: z.ZodObject, description = name) =>
  defineTool({ name, description, input, run: () => ok({}) });

const companyPlan = defineCapability({
  id: "company.plan",
  name: "Generate Company Plan",
  description: "Write a business plan.",
  tools: [
    tool(
      "company_plan",
      z.object({
        action: z.literal("generate-plan").default("generate-plan"),
        name: z.string().default("Generated Company"),
      }),
    ),
  ],
  routing: { route: "/api/company", method: "POST" },
});
const files = defineCapability({
  id: "files",
  name: "Files",
  description: "Work on files.",
  tools: [
    tool("read_file", z.object({ path: z.string() }), "Read a file."),
    tool("delete_file", z.object({ path: z.string() }), "Delete a file."),
  ],
});
const search = defineCapability({
  id: "research.search",
  name: "Web Search",
  description: "Search the web.",
  tools: [
    { ...tool("search", z.object({ query: z.string(), limit: z.int().default(8) })), risk: "read" as const },
  ],
  routing: { route: "/api/research/search", method: "POST", payload: { source: "web" } },
});
const known = new Map<string, Capability>(
  [companyPlan, files, search].map((capability) => [capability.id, capability]),
);
const parts = { capabilityOf: (id: string) => known.get(id) };

const ranked = (...matches: [string, number][]): RankResult => ({
  matches: matches.map(([id, score]) => ({ id, score, reasons: [`tag:${id}`] })),
  noMatch: matches.length === 0,
  confidence: 0.92,
  clauses: [],
});

test("a reason is given once, whatever its spelling", () => {
  const [match] = matchedCapabilities(
    { matches: [{ id: "files", score: 5, reasons: ["tag:company", "tag:plan", "tag:Company"] }] },
    parts,
  );
  expect(match?.reasons).toEqual(["tag:company", "tag:plan"]);
});

describe("a plan", () => {
  test("has the specification's primary step", () => {
    expect(
      plan(ranked(["company.plan", 8.7]), "create company plan for ai bookkeeping startup", parts),
    ).toEqual([
      {
        step: 1,
        capabilityId: "company.plan",
        route: "/api/company",
        method: "POST",
        tool: "company_plan",
        goal: "Execute Generate Company Plan for intent company.plan",
        payload: { action: "generate-plan", name: "Generated Company" },
        risk: "write",
        confidence: 0.92,
      },
    ]);
  });

  test.each([
    ["shares a tag and a verb", { tags: ["page", "url"], actions: ["fetch"] }, 2],
    ["shares no tag", { tags: ["company"], actions: ["fetch"] }, 1],
    ["shares no verb", { tags: ["page"], actions: ["delete"] }, 1],
    ["says nothing of itself", {}, 2],
  ])("a second that %s is planned only when it can replace the first", (_, routing, steps) => {
    const one = { ...search, id: "one", routing: { tags: ["page"], actions: ["fetch", "read"] } };
    const other = { ...search, id: "other", routing };
    const both = { capabilityOf: (id: string) => (id === "one" ? one : other) };
    expect(plan(ranked(["one", 8], ["other", 7]), "fetch the page", both)).toHaveLength(steps);
  });

  test("a second that changes something is never planned: the second best is a guess", () => {
    const steps = plan(ranked(["research.search", 8], ["company.plan", 7]), "search for plans", parts);
    expect(steps.map(({ capabilityId }) => capabilityId)).toEqual(["research.search"]);
  });

  test("a second that uses nothing of the task does not replace one that does", () => {
    const summary = {
      ...search,
      id: "summary",
      tools: [{ ...tool("summary", z.object({})), risk: "read" as const }],
    };
    const both = { capabilityOf: (id: string) => (id === "summary" ? summary : search) };
    expect(plan(ranked(["search", 8], ["summary", 7]), "search for plans", both)).toHaveLength(1);
  });

  test("takes a close second as the secondary, and leaves out a distant one", () => {
    const steps = (second: number) =>
      plan(ranked(["company.plan", 8], ["research.search", second]), "plan", parts).length;
    expect([steps(7), steps(2)]).toEqual([2, 1]);
  });

  test("names both steps after the intent", () => {
    const [, second] = plan(ranked(["company.plan", 8], ["research.search", 7]), "search for plans", parts);
    expect(second).toMatchObject({
      step: 2,
      goal: "Execute Web Search for intent company.plan",
      payload: { query: "plans", limit: 8, source: "web" },
    });
  });

  test("chooses among a capability's tools, and calls one without a route by its tool", () => {
    expect(plan(ranked(["files", 5]), "delete the file /tmp/x.txt", parts)[0]).toMatchObject({
      tool: "delete_file",
      route: "/v1/capabilities/files/tools/delete_file",
      payload: { path: "/tmp/x.txt" },
    });
  });

  test("what a tool cannot keep to is named: writing a file is not appending to it", () => {
    const write = {
      ...files,
      tools: [tool("write_file", z.object({ path: z.string(), content: z.string() }))],
    };
    const [step] = plan(ranked(["files", 5]), "append 'done' to log.txt", { capabilityOf: () => write });
    expect(step).toMatchObject({ unplaced: ["append"], payload: { path: "log.txt", content: "done" } });
  });

  test("a tool's own name has a place for what it says", () => {
    const calendar = defineCapability({
      id: "calendar",
      name: "Calendar",
      description: "Shows events.",
      tools: [tool("calendar-today", z.object({}), "Show today's events.")],
    });
    const [step] = plan(ranked(["calendar", 8]), "what is on my calendar today", {
      capabilityOf: () => calendar,
      hints: { now: new Date("2026-03-02T09:00:00Z") },
    });
    expect(step).not.toHaveProperty("unplaced");
    const [other] = plan(ranked(["calendar", 8]), "what is on my calendar tomorrow", {
      capabilityOf: () => calendar,
      hints: { now: new Date("2026-03-02T09:00:00Z") },
    });
    expect(other).toMatchObject({ unplaced: ["tomorrow"] });
  });

  test("reports what is missing instead of making it up", () => {
    expect(plan(ranked(["files", 5]), "delete it", parts)[0]).toMatchObject({
      missing: ["path"],
      payload: {},
    });
  });

  test("is empty when nothing fits, or no match is visible", () => {
    expect(plan(ranked(), "x", parts)).toEqual([]);
    expect(plan(ranked(["unknown", 5]), "x", parts)).toEqual([]);
  });
});

test("the intent contains the label, the confidence and the task as read", () => {
  expect(intentOf("  Create a PLAN! ", ranked(["company.plan", 8]))).toEqual({
    label: "company.plan",
    confidence: 0.92,
    normalizedTask: "create a plan",
  });
  expect(intentOf("x", ranked())).toMatchObject({ label: NO_INTENT, confidence: 0 });
});

test("the status error is reserved: nothing that can be planned and executed has it", () => {
  for (const planned of [0, 1, 2])
    for (const oks of [[], [true], [false], [true, false], [false, false]])
      for (const dryRun of [true, false])
        for (const unserved of [0, 1]) {
          const steps = oks.map((ok, at) => ({ step: at + 1, ok }) as ExecutedStep);
          const plan = Array.from({ length: planned }, (_, at) => ({ step: at + 1 }) as TaskStep);
          expect(taskStatus(plan, steps, { dryRun, unserved })).not.toBe("error");
        }
});

test("matched capabilities contain their route, score and reasons", () => {
  expect(matchedCapabilities(ranked(["company.plan", 8.7], ["unknown", 1]), parts)).toEqual([
    {
      capability: {
        id: "company.plan",
        name: "Generate Company Plan",
        route: "/api/company",
        method: "POST",
      },
      score: 8.7,
      reasons: ["tag:company.plan"],
    },
  ]);
});

test.each([
  [[], [], false, "no-match"],
  [[1], [true], false, "ok"],
  [[1, 2], [false, true], false, "partial"],
  [[1, 2], [false, false], false, "degraded"],
  [[1], [], false, "degraded"],
  [[1], [], true, "ok"],
] as const)("planned %j, executed %j, dry run %j is %s", (planned, executed, dryRun, status) => {
  const step = (at: number) => ({
    step: at,
    capabilityId: "a",
    route: "/a",
    method: "POST",
    goal: "",
    payload: {},
    risk: "read" as const,
    confidence: 1,
  });
  expect(
    taskStatus(
      planned.map(step),
      executed.map((isOk, at) => ({
        step: at + 1,
        capabilityId: "a",
        ok: isOk,
        route: "/a",
        method: "POST",
      })),
      { dryRun, unserved: 0 },
    ),
  ).toBe(status);
});
