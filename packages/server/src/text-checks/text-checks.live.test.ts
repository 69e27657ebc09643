/** Checks on what models say, on a real server: nothing of what they catch is stored, sent or found in an event. */
import { defineCapability } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SaidPart, scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const polite = defineCapability({
  id: "polite",
  name: "Polite",
  description: "Keeps rude words out of answers.",
  hooks: {
    beforeText: ({ text }) => {
      if (text.includes("explode")) throw new Error("broken check");
      if (text.includes("delicate")) return { decision: "ask", why: "Somebody should read this." };
      if (text.includes("unspeakable")) return { decision: "block", why: "Be polite." };
      return text.includes("darn")
        ? { decision: "mask", text: text.replaceAll("darn", "d***") }
        : { decision: "pass" };
    },
  },
});

/** Reads what it is given, and is asked for nothing but a verdict. A verdict costs 2 dollars. */
const checker = scriptedModel(
  ({ prompt }) => {
    const [system, user] = prompt.map(({ content }) => JSON.stringify(content));
    if (!system?.includes("medical advice")) return [{ text: "What am I to look for?" }];
    if (user?.includes("never")) return [{ until: new Promise(() => {}) }];
    if (user?.includes("unclear")) return [{ text: "Hard to say." }];
    if (user?.includes("broken")) return [{ breaks: "no more" }];
    return [{ text: user?.includes("aspirin") ? "FOUND\nTake two aspirin." : "PASS" }];
  },
  { name: "test/checker", label: "test/checker", prices: { input: 100_000, output: 200_000 } },
);
const ADVICE = { model: "test/checker", prompt: "medical advice", timeout_seconds: 1 };

describe.each(STORES)("checks on text on $name", ({ fresh }) => {
  let server: TestServer;
  let agent: string;
  let hooked: string;
  let said: SaidPart[] = [];
  let next: SaidPart[] = [{ text: "Done." }];
  beforeAll(async () => {
    const model = scriptedModel((_call, step) => (step === 0 ? said : next));
    server = await testServer(
      await fresh(),
      {},
      { models: { "test/scripted": model, "test/checker": checker }, config: { capabilities: [polite] } },
    );
    const made = async (capabilities: string[]) =>
      (await server.call("POST", "/v1/agents", { name: "Speaker", capabilities, model: "test/scripted" }))
        .body.id;
    agent = await made(["test_math"]);
    hooked = await made(["polite"]);
  });
  afterAll(() => server?.stop());

  const check = async (body: object) => {
    const made = await server.call("POST", "/v1/text-checks", { name: "a check", ...body });
    expect(made).toMatchObject({ status: 201 });
    return { ...made.body, remove: () => server.call("DELETE", `/v1/text-checks/${made.body.id}`) };
  };
  const answer = async (parts: SaidPart[], by = agent) => {
    said = parts;
    const session = (await server.call("POST", "/v1/sessions", { agent_id: by })).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content: "go" });
    const run = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body;
    const ends = (how: RegExp) =>
      expect.poll(async () => (await run()).status, { timeout: 20_000 }).toMatch(how);
    await ends(/done|waiting|failed/);
    const { pool } = server.services.database;
    const stored = async () => {
      const rows = await Promise.all(
        ["messages", "events"].map((table) =>
          pool.query(`select * from ${table} where session_id = $1`, [session]),
        ),
      );
      return JSON.stringify(rows.map((each) => each.rows));
    };
    const approval = async () =>
      (await server.call("GET", `/v1/approvals?status=pending&session_id=${session}`)).body.items[0];
    return { run, ends, stored, approval };
  };

  test("what a mask finds is in no message and no event, wherever the stream was cut", async () => {
    const masks = await check({ find: { kind: "email" }, then: "mask" });
    const { run, stored } = await answer([
      { text: "Write to " },
      { text: "ada@exam" },
      { text: "ple.com today.\nOr to bob@example.org." },
    ]);
    expect((await run()).status).toBe("done");
    const all = await stored();
    expect(all).toContain("Write to [removed] today.");
    expect(all).not.toMatch(/ada@|bob@|ple\.com/);
    await masks.remove();
    expect(await (await answer([{ text: "ada@example.com" }])).stored()).toContain("ada@example.com");
  });

  test("a check that blocks ends the run before its line is stored, and its calls are not made", async () => {
    const blocks = await check({ find: { words: ["falcon"] }, then: "block", words: "It is secret." });
    const { run, stored } = await answer([
      { text: "Fine.\nThe Falcon flies." },
      { call: "add", input: { a: 1, b: 2 } },
    ]);
    expect(await run()).toMatchObject({ status: "failed" });
    expect(JSON.stringify(await run())).toContain("It is secret.");
    expect(await stored()).not.toMatch(/Falcon|"add"/);
    await blocks.remove();
  });

  test("an answer that asks is held until a person has read it; their text is sent instead", async () => {
    const asks = await check({ find: { pattern: "merger|takeover" }, then: "ask" });
    const held = await answer([{ text: "The merger is on." }, { call: "add", input: { a: 1, b: 2 } }]);
    expect((await held.run()).status).toBe("waiting");
    expect(await held.stored()).not.toContain("merger is on");
    const { id, kind, input } = await held.approval();
    expect({ kind, text: input.text }).toEqual({ kind: "text", text: "The merger is on." });
    const reply = (edited_args?: object) =>
      server.call("POST", `/v1/approvals/${id}`, {
        decision: "approve",
        ...(edited_args && { edited_args }),
      });
    expect(await reply({ answer: {} })).toMatchObject({ status: 422 });
    expect(await reply({ text: "There is news." })).toMatchObject({ status: 200 });
    await held.ends(/done/);
    const all = await held.stored();
    expect(all).toContain("There is news.");
    expect(all).toContain('"result":3');
    expect(all).not.toContain("merger is on");
    const denied = await answer([{ text: "A takeover." }]);
    await server.call("POST", `/v1/approvals/${(await denied.approval()).id}`, {
      decision: "deny",
      words: "No.",
    });
    await denied.ends(/failed/);
    expect(await denied.stored()).not.toContain("takeover");
    const { run, stored } = await answer([{ text: "Nothing special." }]);
    expect((await run()).status).toBe("done");
    expect(await stored()).toContain("Nothing special.");
    await asks.remove();
  });

  test.each(["one message", "two messages"])(
    "a word with a tool call in its middle is found, in %s",
    async (where) => {
      const call = { call: "add", input: { a: 1, b: 2 } };
      const [before, after] = [{ text: "Project Fal" }, { text: "con is late." }];
      const parts = where === "one message" ? [before, call, after] : [before, call];
      next = where === "one message" ? [{ text: "Done." }] : [after];
      const find = { words: ["falcon"] };
      const masks = await check({ find, then: "mask" });
      const masked = await (await answer(parts)).stored();
      expect(masked).toContain("[removed] is late.");
      expect(masked).not.toContain("con is late");
      await masks.remove();
      const blocks = await check({ find, then: "block", words: "It is secret." });
      const blocked = await answer(parts);
      expect(JSON.stringify(await blocked.run())).toContain("It is secret.");
      expect(await blocked.stored()).not.toContain("con is late");
      await blocks.remove();
      const asks = await check({ find, then: "ask" });
      const held = await answer(parts);
      expect((await held.run()).status).toBe("waiting");
      expect(await held.stored()).not.toContain("con is late");
      await server.call("POST", `/v1/approvals/${(await held.approval()).id}`, { decision: "approve" });
      await held.ends(/done/);
      expect(await held.stored()).toContain("con is late");
      await asks.remove();
      next = [{ text: "Done." }];
    },
  );

  test("a function and a model read an answer whole, also with a tool call in the middle of it", async () => {
    const call = { call: "add", input: { a: 1, b: 2 } };
    expect(await (await answer([{ text: "Oh da" }, call, { text: "rn." }], hooked)).stored()).toContain(
      "Oh d***.",
    );
    const masks = await check({ find: ADVICE, then: "mask", words: "(left out)" });
    const advised = await answer([{ text: "Rest. Take two as" }, call, { text: "pirin. Drink." }]);
    expect(await advised.stored()).toContain("Rest. (left out) Drink.");
    expect(await advised.stored()).toContain('"result":3');
    await masks.remove();
  });

  test("a capability's own function masks and blocks; one that breaks blocks", async () => {
    expect(await (await answer([{ text: "Oh darn." }], hooked)).stored()).toContain("Oh d***.");
    expect(JSON.stringify(await (await answer([{ text: "unspeakable" }], hooked)).run())).toContain(
      "Be polite.",
    );
    const broken = await answer([{ text: "explode" }], hooked);
    expect(JSON.stringify(await broken.run())).toContain("text_blocked");
    expect(await broken.stored()).not.toContain('"explode"');
  });

  test("a capability's own function lets a person read an answer first", async () => {
    const held = await answer([{ text: "A delicate matter." }], hooked);
    expect((await held.run()).status).toBe("waiting");
    const { id, kind, reason } = await held.approval();
    expect({ kind, reason }).toEqual({ kind: "text", reason: "Somebody should read this." });
    expect(await held.stored()).not.toContain("delicate matter");
    await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    await held.ends(/done/);
    expect(await held.stored()).toContain("A delicate matter.");
  });

  test("a model masks, blocks or asks by its own prompt, and what it costs counts", async () => {
    const text = "Rest. Take two aspirin. Drink.";
    const masks = await check({ find: ADVICE, then: "mask", words: "(left out)" });
    expect(masks.sentence).toBe("Mask what test/checker finds: medical advice.");
    const masked = await answer([{ text }]);
    expect(await masked.stored()).toContain("Rest. (left out) Drink.");
    expect(await masked.stored()).not.toContain("aspirin");
    expect((await masked.run()).usage.cost_usd).toBeCloseTo(2);
    expect(await (await answer([{ text: "Rest." }])).stored()).toContain("Rest.");
    await masks.remove();
    const blocks = await check({ find: ADVICE, then: "block", words: "Ask a doctor." });
    const blocked = await answer([{ text }, { call: "add", input: { a: 1, b: 2 } }]);
    expect(await blocked.run()).toMatchObject({ status: "failed" });
    expect(JSON.stringify(await blocked.run())).toContain("Ask a doctor.");
    expect((await blocked.run()).usage.cost_usd).toBeCloseTo(2);
    expect(await blocked.stored()).not.toMatch(/aspirin|"add"/);
    await blocks.remove();
    const asks = await check({ find: ADVICE, then: "ask" });
    const held = await answer([{ text }]);
    expect((await held.run()).status).toBe("waiting");
    expect((await held.approval()).input.text).toBe(text);
    expect(await held.stored()).not.toContain("aspirin");
    const trial = await server.call("POST", "/v1/text-checks/try", { text });
    expect(trial.body).toEqual({ decision: "ask", check: "a check", text });
    await asks.remove();
  });

  test.each(["unclear", "broken", "never"])(
    "a model whose verdict is %s blocks, whatever its check would do",
    async (word) => {
      const masks = await check({ find: ADVICE, then: "mask" });
      const { run, stored } = await answer([{ text: `This is ${word} ended.` }]);
      expect(await run()).toMatchObject({ status: "failed" });
      expect(JSON.stringify(await run())).toContain("text_blocked");
      expect(await stored()).not.toContain(`${word} ended`);
      await masks.remove();
    },
  );

  test("a text can be tried, with the checks in force or with others", async () => {
    const trial = async (body: object) => (await server.call("POST", "/v1/text-checks/try", body)).body;
    expect(await trial({ text: "hello" })).toEqual({ decision: "pass", check: null, text: "hello" });
    const checks = [{ name: "cards", find: { kind: "credit_card" }, then: "mask", words: "(card)" }];
    expect(await trial({ text: "Pay with 4111 1111 1111 1111", checks })).toEqual({
      decision: "mask",
      check: "cards",
      text: "Pay with (card)",
    });
    expect(await trial({ text: "No card: 4111 1111 1111 1112", checks })).toMatchObject({ decision: "pass" });
  });

  test.each([
    [{ find: { pattern: "(" }, then: "mask" }, "("],
    [{ find: { pattern: "a*" }, then: "mask" }, "matches everything"],
    [{ find: { words: [] }, then: "mask" }, "words"],
    [{ find: { kind: "passport" }, then: "mask" }, "find"],
    [{ find: { kind: "email" }, then: "delete" }, "then"],
    [{ find: { model: "nobody/knows", prompt: "x" }, then: "mask" }, "nobody"],
    [{ find: { model: "test/checker" }, then: "mask" }, "find"],
    [{ find: { kind: "email" }, then: "mask", agentId: "x" }, "agent_id"],
  ])("a check that is not understood is refused: %j", async (body, words) => {
    const refused = await server.call("POST", "/v1/text-checks", { name: "x", ...body });
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(JSON.stringify(refused.body)).toContain(words);
  });
});
