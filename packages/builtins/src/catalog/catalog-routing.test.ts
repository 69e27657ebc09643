import { createRouteIndex, plan, rank, routeDocument } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { sessionFileSystem } from "../capabilities/session-file-system.ts";
import { testMath } from "../capabilities/test-math.ts";
import { staticEmbedding } from "../models/static-embedding.ts";
import { catalogCapabilities } from "./catalog-capabilities.ts";

const capabilities = catalogCapabilities();
const byId = new Map(capabilities.map((capability) => [capability.id, capability]));
const index = createRouteIndex({ embed: staticEmbedding() });
for (const capability of capabilities) index.add(routeDocument(capability));
const ids = (task: string) => rank(task, index).matches.map(({ id }) => id);

describe("the specification's examples", () => {
  test("a business plan ranks company.plan before company.create", () => {
    const [first, ...rest] = ids("create a business plan for an AI bookkeeping startup");
    expect(first).toBe("company.plan");
    expect(rest).not.toContain("company.plan");
    expect(rank("create a business plan for an AI bookkeeping startup", index).matches[0]?.reasons).toEqual(
      expect.arrayContaining(["trigger:business plan"]),
    );
  });

  test("a URL to extract from ranks proxy.extract or research.fetch-page above broad routes", () => {
    const found = ids("open this url https://example.com and extract key points");
    expect(["proxy.extract", "research.fetch-page"]).toContain(found[0]);
    const broad = ["research.search", "research.deep", "proxy.search", "chat.general"];
    expect(broad.map((id) => found.indexOf(id)).filter((at) => at === 0)).toEqual([]);
  });

  test("local models rank localai.models, not localai.chat", () => {
    expect(ids("show local ai models available")[0]).toBe("localai.models");
  });

  test("a logo ranks media.image.generate, and chat.general is demoted", () => {
    const found = ids("generate a logo for a robotics startup");
    expect(found[0]).toBe("media.image.generate");
    expect(found.slice(0, 3)).not.toContain("chat.general");
  });
});

test.each([
  ["create company plan for ai bookkeeping startup", "company.plan"],
  ["draft a business plan for a bakery in Lyon", "company.plan"],
  ["we need a go to market plan for our firm", "company.plan"],
  ["register a company called Acme Robotics", "company.create"],
  ["set up a new company record for my consultancy", "company.create"],
  ["suggest a name for my coffee startup", "company.name"],
  ["what should I call my new business", "company.name"],
  ["research the history of the printing press with sources", "research.deep"],
  ["investigate the market for electric bikes and write a report", "research.deep"],
  ["search the web for the best hiking trails in Norway", "research.search"],
  ["latest news about solid state batteries", "research.search"],
  ["read this article https://example.com/post and tell me what it says", "research.fetch-page"],
  ["draw a picture of a cat on the moon", "media.image.generate"],
  ["make an illustration for a children's book", "media.image.generate"],
  ["create a promo video for our new app", "media.video.generate"],
  ["animate a short clip of waves", "media.video.generate"],
  ["which local models does ollama have", "localai.models"],
  ["ask the local model to explain recursion", "localai.chat"],
  ["is the local ai server up", "localai.stats"],
  ["ingest this text into the local knowledge base", "localai.ingest"],
  ["search my local documents for the contract", "localai.search"],
  ["fetch https://example.com/data.json", "proxy.fetch"],
  ["extract the key points from https://example.com/report", "proxy.extract"],
  ["show me the recent webhook events", "webhook.events"],
  ["summarize https://example.com", "research.fetch-page"],
  ["read https://example.com/a.pdf for me", "research.fetch-page"],
  ["draw a castle on a hill", "media.image.generate"],
  ["make a 10 second clip of a flying dragon", "media.video.generate"],
  ["animate a walking cat", "media.video.generate"],
  ["a name for my podcast", "company.name"],
  ["I need a name for a coffee shop", "company.name"],
  ["papers on climate change", "research.search"],
  ["news about the election", "research.search"],
  ["send a webhook to https://example.com/hook", "webhook.dispatch"],
])("%j goes to %s", (task, id) => {
  expect(ids(task)[0]).toBe(id);
});

test.each([
  ["search for flights to Rome", ["localai.search", "webhook.events", "webhook.dispatch"]],
  ["chat with me about philosophy", ["localai.chat"]],
  ["extract the key idea from my notes", ["webhook.dispatch"]],
])("%j goes to none of %j", (task, not) => {
  expect(ids(task).filter((id) => not.includes(id))).toEqual([]);
});

test.each(["hmm", "hello there", "what is the meaning of life", "who won the world cup in 1998"])(
  "chat.general answers %j",
  (task) => {
    expect(ids(task)[0]).toBe("chat.general");
  },
);

test.each(["blorptag fnord qwxz", "order a pizza", "create a user called bob", "2026-11-15"])(
  "%j matches nothing, not even chat.general",
  (task) => {
    expect(ids(task)).toEqual([]);
  },
);

test("the plan of the specification's example calls POST /api/company with the plan action", () => {
  const task = "create company plan for ai bookkeeping startup";
  const [step] = plan(rank(task, index), task, { capabilityOf: (id) => byId.get(id) });
  expect(step).toMatchObject({
    step: 1,
    capabilityId: "company.plan",
    route: "/api/company",
    method: "POST",
    goal: "Execute Generate Company Plan for intent company.plan",
    payload: { action: "generate-plan", name: "Generated Company" },
  });
});

test("the catalog covers what the specification lists", () => {
  const ids = capabilities.map(({ id }) => id);
  for (const id of [
    ...["chat.general", "company.create", "company.plan", "company.name"],
    ...["research.search", "media.image.generate", "media.video.generate"],
    ...["localai.chat", "localai.models", "localai.stats", "localai.ingest", "localai.search"],
    ...["proxy.fetch", "proxy.extract", "proxy.search", "webhook.events", "webhook.dispatch"],
  ])
    expect(ids).toContain(id);
  expect(ids.filter((id) => id.startsWith("research.")).length).toBeGreaterThan(1);
});

test.each([
  ["create company plan", "company.plan"],
  ["research topic quantum computing", "research.deep"],
  ["generate image of a cat", "media.image.generate"],
  ["generate video of a sunset", "media.video.generate"],
])("the chat pattern of %j is that of %s", (message, id) => {
  const matching = capabilities.filter(({ routing }) =>
    (routing?.chatPatterns ?? []).some((pattern) => new RegExp(pattern, "i").test(message)),
  );
  expect(matching.map((capability) => capability.id)).toEqual([id]);
});

test("every capability of the catalog has five to ten triggers, tags, a domain, actions and a route", () => {
  for (const { id, routing } of capabilities) {
    expect([id, routing?.triggers?.length]).toEqual([id, expect.any(Number)]);
    expect(routing?.triggers?.length).toBeGreaterThanOrEqual(5);
    expect(routing?.triggers?.length).toBeLessThanOrEqual(10);
    expect(routing).toMatchObject({
      domain: expect.any(String),
      tags: expect.arrayContaining([expect.any(String)]),
      actions: expect.arrayContaining([expect.any(String)]),
      route: expect.stringMatching(/^\/api\//),
    });
  }
});

describe("together with the catalog", () => {
  const both = createRouteIndex({ embed: staticEmbedding() });
  for (const capability of [...capabilities, testMath, sessionFileSystem])
    both.add(routeDocument(capability));

  test.each([
    ["3 * 4", "test_math"],
    ["product of 3 and 5", "test_math"],
    ["difference between 9 and 4", "test_math"],
    ["take 4 from 10", "test_math"],
    ["what is twelve times nine", "test_math"],
    ["write hello to /a.txt", "session_file_system"],
    ["find the word milk in my files", "session_file_system"],
    ["save a note: buy milk", "session_file_system"],
  ])("%j goes to %s", (task, id) => {
    const { matches, clauses } = rank(task, both);
    expect(matches[0]?.id).toBe(id);
    expect(clauses).toEqual([task]);
  });
});
