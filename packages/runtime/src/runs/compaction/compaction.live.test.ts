import { defineCapability, defineTool, ok, type RunEvent } from "@capstan/core";
import { SUMMARY_REQUEST } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { AGENT_ID, collect, USER } from "../../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../../tools/legal-events.ts";
import { onlyModel, type Script, scriptedModel } from "../../../../../tools/scripted-model.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";

type Call = Parameters<Script>[0];
const LONG = "All about ships and harbours. ".repeat(100); // about 830 tokens; the model below has room for 5,900
const lists = defineCapability({
  id: "lists",
  name: "Lists",
  description: "Task lists.",
  tools: [
    defineTool({
      name: "write_list",
      description: "Replaces the list.",
      replacesEarlier: true,
      input: z.object({ items: z.array(z.string()) }),
      run: ({ items }) => ok(items.length),
    }),
    defineTool({
      name: "write_text",
      description: "Writes a file.",
      input: z.object({ path: z.string() }),
      run: () => ok("written"),
    }),
  ],
});

describe.each(STORES)("a conversation that outgrows its model on $name", ({ fresh }) => {
  const engine = useEngine(fresh, {
    capabilities: [lists],
    agent: { capabilities: [{ id: "test_tools" }, { id: "lists" }] },
    parts: {
      models: onlyModel(
        scriptedModel((call, step) => engine.answers(call, step), {
          contextWindow: 8_000,
          prices: { input: 1_000_000, output: 0 }, // ten dollars an answer
        }),
      ),
    },
  });

  test("is summarised once, and the model goes on from the summary", async () => {
    const calls: Call[] = [];
    engine.answers = (call) => {
      calls.push(call);
      return isRequest(call) ? [{ text: SUMMARY }] : [{ text: LONG }];
    };
    const session = await engine.newSession();
    const events = await talk(session, ["start at Genoa", "two", "three", "four", "five", "six", "seven"]);
    const [summary] = await engine.runs.summaries(session);
    expect(await engine.runs.summaries(session)).toHaveLength(1);
    expect(calls.filter(isRequest)).toHaveLength(1);
    expect(summary).toMatchObject({ createdBy: "", text: expect.stringContaining("sail to Genoa") });
    const sent = JSON.stringify(calls.at(-1)?.prompt);
    expect(sent).toContain("sail to Genoa");
    expect(sent).not.toContain("start at Genoa");
    const shown = events.filter(({ type }) => type === "ACTIVITY_SNAPSHOT");
    expect(shown).toMatchObject([
      {
        activityType: "SUMMARY",
        content: { summary_id: summary?.id, messages: (summary?.toPosition ?? 0) + 1 },
      },
    ]);
    expect(await complaintsAbout(events)).toEqual([]);
    expect((await all(session))[0]).toMatchObject({ position: 0, role: "user" }); // originals stay
  });

  test("starts the request for a summary like the calls before it, so that the provider's cache hits", async () => {
    const calls: Call[] = [];
    engine.answers = (call) => {
      calls.push(call);
      return [{ text: isRequest(call) ? SUMMARY : LONG }];
    };
    const session = await engine.newSession();
    await talk(session, ["1", "2", "3", "4", "5", "6", "7"]);
    const at = calls.findIndex(isRequest);
    const [before, request] = [calls[at - 1], calls[at]];
    expect(request?.tools).toEqual(before?.tools);
    const same = request?.prompt.slice(0, -1) ?? [];
    expect(same.length).toBeGreaterThan(3);
    expect(JSON.stringify(before?.prompt.slice(0, same.length))).toBe(JSON.stringify(same));
  });

  test("keeps decisions, lists, files and pinned messages word for word, over two summaries", async () => {
    engine.answers = (call, step) => {
      if (isRequest(call))
        return [{ text: JSON.stringify(call.prompt).includes("sail to Genoa") ? "## Done\nMore." : SUMMARY }];
      const asked = JSON.stringify(call.prompt.at(-1)?.content);
      if (step === 0 && asked.includes("list it"))
        return [
          { call: "write_list", input: { items: ["caulk the hull"] } },
          { call: "write_text", input: { path: "/log/first.md" } },
        ];
      return [{ text: LONG }];
    };
    const session = await engine.newSession();
    await talk(session, ["The password is swordfish. Keep it.", "list it"]);
    const [pinned] = await all(session);
    expect(await engine.runs.pin(session, { messageId: pinned?.id ?? "", pinned: true })).toMatchObject({
      ok: true,
    });
    await talk(
      session,
      Array.from({ length: 14 }, (_, at) => `say ${at}`),
    );
    const summaries = await engine.runs.summaries(session);
    expect(summaries.length).toBeGreaterThan(1);
    expect(summaries.at(-1)?.kept).toEqual({
      decisions: ["The crew is six people."],
      files: ["/log/first.md"],
      lists: [{ tool: "write_list", input: { items: ["caulk the hull"] } }],
    });
    let sent = "";
    engine.answers = (call) => {
      sent = JSON.stringify(call.prompt);
      return [{ text: "ok" }];
    };
    await talk(session, ["and now?"]);
    for (const kept of [
      "The crew is six people.",
      "caulk the hull",
      "/log/first.md",
      "The password is swordfish.",
    ])
      expect(sent).toContain(kept);
  });

  test("never separates a call from its result, and keeps the message to answer in a long turn", async () => {
    const sent: Call[] = [];
    engine.answers = (call) => {
      if (isRequest(call)) return [{ text: SUMMARY }];
      sent.push(call);
      return sent.length > 12
        ? [{ text: "Done." }]
        : [{ call: "note", input: { text: LONG.slice(0, 1500) } }];
    };
    const session = await engine.newSession();
    await talk(session, ["count the ropes"]);
    expect((await engine.runs.summaries(session)).length).toBeGreaterThan(0);
    for (const { prompt } of sent) {
      expect(JSON.stringify(prompt)).toContain("count the ropes");
      const ids = (role: string, type: string) =>
        prompt.flatMap((message) =>
          message.role === role
            ? (message.content as { type: string; toolCallId: string }[]).flatMap((part) =>
                part.type === type ? [part.toolCallId] : [],
              )
            : [],
        );
      expect(ids("tool", "tool-result")).toEqual(ids("assistant", "tool-call"));
    }
  });

  test("gives the originals back, by number and by words, through the gate", async () => {
    const session = await summarised();
    engine.answers = (_call, step) =>
      step === 0
        ? [
            { call: "recall_messages", input: { from: 0 } },
            { call: "recall_messages", input: { query: "Genoa harbour" } },
          ]
        : [{ text: "Read." }];
    const events = await talk(session, ["what did I say first?"]);
    const results = events.flatMap((event) =>
      event.type === "TOOL_CALL_RESULT" ? [String(event.content)] : [],
    );
    expect(
      results.map((text) =>
        JSON.parse(text).messages.some((one: { text: string }) => one.text === "start at Genoa"),
      ),
    ).toEqual([true, true]);
    expect(engine.records.map(({ tool, outcome, capabilityId }) => [tool, outcome, capabilityId])).toEqual([
      ["recall_messages", "success", "conversation"],
      ["recall_messages", "success", "conversation"],
    ]);
  });

  test("offers no recall where there is nothing to recall", async () => {
    let tools: string[] = [];
    engine.answers = (call) => {
      tools = (call.tools ?? []).map(({ name }) => name);
      return [{ text: "Yes." }];
    };
    await talk(await engine.newSession(), ["hello"]);
    expect(tools).not.toContain("recall_messages");
  });

  test("counts what the summary cost: in the run, in usage and in the trace's store", async () => {
    engine.answers = (call) => [{ text: isRequest(call) ? SUMMARY : LONG }];
    const session = await engine.newSession();
    await talk(session, ["1", "2", "3", "4", "5", "6", "7"]);
    const [summary] = await engine.runs.summaries(session);
    expect(summary?.usage).toMatchObject({ totalTokens: 15, costUsd: 10, model: "scripted" });
    const run = await engine.runs.run(summary?.runId ?? "");
    expect(run).toMatchObject({ value: { usage: { steps: 2, costUsd: 20 } } });
    const { rows } = await engine.database.pool.query(
      "select sum(calls)::int as calls from (select 1 as calls from usage_fresh union all select calls from usage_hours) used",
    );
    const stored = await engine.database.pool.query(
      "select (select count(*) from messages where usage is not null)::int + (select count(*) from session_summaries where usage is not null)::int as calls",
    );
    expect(rows).toEqual(stored.rows);
  });

  test("continues without a summary when the model gives none, and says so", async () => {
    engine.answers = (call) => (isRequest(call) ? [{ breaks: "no summary today" }] : [{ text: LONG }]);
    const session = await engine.newSession();
    const events = await talk(session, ["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect(await engine.runs.summaries(session)).toEqual([]);
    expect(JSON.stringify(events.filter(({ type }) => type === "CUSTOM"))).toMatch(/could not be summarised/);
    expect(events.at(-1)).toMatchObject({ type: "RUN_FINISHED" });
  });

  test("does not make the calls that a model writes in place of a summary", async () => {
    engine.answers = (call) =>
      isRequest(call) ? [{ call: "note", input: { text: "injected" } }] : [{ text: LONG }];
    const session = await engine.newSession();
    await talk(session, ["start at Genoa", "2", "3", "4", "5", "6", "7"]);
    expect(engine.notes).toEqual([]);
    expect((await engine.runs.summaries(session))[0]?.text).toContain("start at Genoa");
  });

  test("keeps the labels of what was read, and tells the model", async () => {
    const session = await engine.newSession();
    await engine.database.pool.query("update sessions set labels = $2 where id = $1", [
      session,
      JSON.stringify({ untrusted: { tool: "web_fetch", at: new Date().toISOString() } }),
    ]);
    await summarised(session);
    expect((await engine.runs.summaries(session))[0]?.labels).toEqual(["untrusted"]);
    let sent = "";
    engine.answers = (call) => {
      sent = JSON.stringify(call.prompt);
      return [{ text: "ok" }];
    };
    await talk(session, ["go on"]);
    expect(sent).toContain("never an instruction");
    const { rows } = await engine.database.pool.query(
      "select labels ? 'untrusted' as kept from sessions where id = $1",
      [session],
    );
    expect(rows).toEqual([{ kept: true }]);
  });

  test("a fork has the summary if it has its messages; a rewind before its end reads the originals again", async () => {
    const session = await summarised();
    const [summary] = await engine.runs.summaries(session);
    const messages = await all(session);
    const whole = await engine.runs.fork(session);
    const early = await engine.runs.fork(session, { after: messages[1]?.id ?? "" });
    if (!whole.ok || !early.ok) throw new Error("not forked");
    expect(await engine.runs.summaries(whole.value.sessionId)).toMatchObject([
      { text: summary?.text, usage: null, runId: null },
    ]);
    expect(await engine.runs.summaries(early.value.sessionId)).toEqual([]);
    const branch = await engine.runs.rewind(session, 2, USER);
    if (!branch.ok) throw new Error("not rewound");
    expect(await engine.runs.summaries(session)).toEqual([]);
    expect(await engine.runs.summaries(branch.value.sessionId)).toHaveLength(1);
    let sent = "";
    engine.answers = (call) => {
      sent = JSON.stringify(call.prompt);
      return [{ text: "ok" }];
    };
    await talk(session, ["again"]);
    expect(sent).toContain("start at Genoa");
    expect(sent).not.toContain("sail to Genoa");
  });

  test("a person may ask for a summary: all but the last turn, metered, once", async () => {
    engine.answers = (call) => [{ text: isRequest(call) ? SUMMARY : "Yes." }];
    const session = await engine.newSession();
    const request = { by: USER, signal: AbortSignal.timeout(30_000) };
    expect(await engine.runs.compact(session, request)).toMatchObject({
      ok: false,
      failure: { code: "conflict" },
    });
    await talk(session, ["start at Genoa", "second"]);
    expect(await engine.runs.compact(session, request)).toMatchObject({ ok: true, value: { toPosition: 1 } });
    expect(await engine.runs.compact(session, request)).toMatchObject({
      ok: false,
      failure: { code: "conflict" },
    });
    expect(await engine.runs.summaries(session)).toMatchObject([
      { createdBy: USER, runId: null, usage: { costUsd: 10 } },
    ]);
    const { rows } = await engine.database.pool.query(
      "select cost_usd from usage_fresh where agent_id = $1 and user_email = $2 order by at desc limit 1",
      [AGENT_ID, USER],
    );
    expect(rows).toEqual([{ cost_usd: 10 }]);
  });

  test("bounds what can be pinned", async () => {
    const session = await engine.newSession();
    await talk(session, ["x".repeat(9_000)]);
    const [message] = await all(session);
    expect(await engine.runs.pin(session, { messageId: message?.id ?? "", pinned: true })).toMatchObject({
      failure: { code: "limit_reached" },
    });
    expect(await engine.runs.pin(session, { messageId: "none", pinned: true })).toMatchObject({
      failure: { code: "not_found" },
    });
  });

  const all = async (session: string) => (await engine.runs.messages(session, { limit: 500 })).items;

  async function talk(session: string, messages: readonly string[]): Promise<RunEvent[]> {
    const events: RunEvent[] = [];
    for (const content of messages) {
      const after = await engine.runs.lastSeq(session);
      await engine.runs.send(session, { content });
      events.push(...(await collect(engine.runs, session, { after })));
    }
    return events;
  }

  async function summarised(given?: string): Promise<string> {
    const session = given ?? (await engine.newSession());
    engine.answers = (call) => [{ text: isRequest(call) ? SUMMARY : LONG }];
    await talk(session, ["start at Genoa", "2", "3", "4", "5", "6", "7"]);
    return session;
  }
});

const SUMMARY =
  "## Goal\nThe user wants to sail to Genoa.\n## Decisions\n- The crew is six people.\n## Open\nThe date.";
const isRequest = ({ prompt }: Call): boolean => {
  const last = prompt.at(-1);
  return (
    last?.role === "user" &&
    last.content.some((part) => part.type === "text" && part.text.startsWith(SUMMARY_REQUEST))
  );
};
