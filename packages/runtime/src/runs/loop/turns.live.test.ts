import { textOf } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { collect, last, onScreen, results, spoken, types } from "../../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../../tools/legal-events.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";

describe.each(STORES)("a turn on $name", ({ fresh }) => {
  const engine = useEngine(fresh);

  test("is streamed and stored", async () => {
    engine.answers = () => [{ text: "Hello, how are you?" }];
    const session = await engine.newSession();
    const sent = await engine.runs.send(session, { content: "hello" });
    expect(sent).toMatchObject({ ok: true, value: { status: "running", afterSeq: 0 } });
    const events = await collect(engine.runs, session);
    expect([...new Set(types(events))]).toEqual([
      "RUN_STARTED",
      "STEP_STARTED",
      "TEXT_MESSAGE_START",
      "TEXT_MESSAGE_CONTENT",
      "TEXT_MESSAGE_END",
      "STEP_FINISHED",
      "RUN_FINISHED",
    ]);
    expect(spoken(events)).toBe("Hello, how are you?");
    expect(await complaintsAbout(events)).toEqual([]);
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items.map((message) => [message.role, textOf(message)])).toEqual([
      ["user", "hello"],
      ["assistant", "Hello, how are you?"],
    ]);
  });

  test("calls a tool through the gate and continues with its result", async () => {
    engine.answers = ({ prompt }, step) =>
      step === 0
        ? [{ text: "Adding. " }, { call: "add", input: { a: 2, b: 40 } }]
        : [{ text: `It is ${JSON.stringify(prompt.at(-1)?.content)}` }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "add 2 and 40" });
    const events = await collect(engine.runs, session);
    expect(types(events).filter((type) => type.startsWith("TOOL"))).toEqual([
      "TOOL_CALL_START",
      "TOOL_CALL_ARGS",
      "TOOL_CALL_END",
      "TOOL_CALL_RESULT",
    ]);
    expect(spoken(events)).toContain('"sum":42');
    expect(engine.records).toMatchObject([{ tool: "add", path: "loop", outcome: "success" }]);
    expect(last(events)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: { type: "success" },
      usage: [{ provider: "test", model: "scripted", inputTokens: 20, outputTokens: 10, totalTokens: 30 }],
    });
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("makes calls in parallel, and a refusal is a result like any other", async () => {
    engine.answers = (_call, step) =>
      step === 0
        ? [
            { call: "add", input: { a: 1, b: 1 } },
            { call: "add", input: { a: "one" } },
            { call: "no_such_tool" },
            { call: "note", input: { text: "x" } },
          ]
        : [{ text: "Done." }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "go" });
    const events = await collect(engine.runs, session);
    const texts = results(events).map(String);
    expect(texts).toHaveLength(4);
    expect(texts.join()).toMatch(/noted x/);
    expect(texts.join()).toMatch(/tool_input_invalid/);
    expect(texts.join()).toMatch(/tool_unknown/);
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("separates reasoning from the answer, with its signature", async () => {
    engine.answers = () => [{ reasoning: "Hm.", signature: "sig" }, { text: "Yes." }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "think" });
    const events = await collect(engine.runs, session);
    expect(types(events)).toEqual(
      expect.arrayContaining([
        "REASONING_START",
        "REASONING_MESSAGE_CONTENT",
        "REASONING_ENCRYPTED_VALUE",
        "REASONING_END",
      ]),
    );
    expect(await complaintsAbout(events)).toEqual([]);
    const { items } = await engine.runs.messages(session, { limit: 10 });
    expect(items[1]?.content).toEqual([
      { type: "reasoning", text: "Hm.", providerOptions: { test: { signature: "sig" } } },
      { type: "text", text: "Yes." },
    ]);
  });

  test("includes earlier turns unchanged", async () => {
    const prompts: string[] = [];
    engine.answers = ({ prompt }) => {
      prompts.push(JSON.stringify(prompt));
      return [{ text: `answer ${prompts.length}` }];
    };
    const session = await engine.newSession();
    for (const [turn, content] of ["one", "two", "three"].entries()) {
      await engine.runs.send(session, { content });
      await collect(engine.runs, session, { runs: turn + 1 });
    }
    expect(prompts[2]?.startsWith(prompts[1]?.slice(0, -1) ?? "missing")).toBe(true);
    expect(prompts[2]).toContain("answer 2");
  });

  test("is one run however often the same message is sent", async () => {
    const session = await engine.newSession();
    const sent = await Promise.all(
      Array.from({ length: 5 }, () => engine.runs.send(session, { id: "m1", content: "once" })),
    );
    await collect(engine.runs, session);
    const again = await engine.runs.send(session, { id: "m1", content: "once" });
    const ids = new Set([...sent, again].map((result) => (result.ok ? result.value.runId : "refused")));
    expect(ids.size).toBe(1);
    expect((await engine.runs.messages(session, { limit: 10 })).items).toHaveLength(2);
  });

  test("queues messages that arrive meanwhile and answers them in order", async () => {
    const gate = Promise.withResolvers<void>();
    engine.answers = async ({ prompt }) => {
      const asked = JSON.stringify(prompt.at(-1)?.content);
      if (asked.includes("first")) await gate.promise;
      return [{ text: `re ${/\w+"}/.exec(asked)?.[0].slice(0, -2)}` }];
    };
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "first" });
    const second = await engine.runs.send(session, { content: "second" });
    const third = await engine.runs.send(session, { content: "third" });
    expect([second, third]).toMatchObject([{ value: { status: "queued" } }, { value: { status: "queued" } }]);
    expect(
      (await engine.runs.messages(session, { limit: 10 })).queued.map(({ content }) => content),
    ).toMatchObject([[{ text: "second" }], [{ text: "third" }]]);
    gate.resolve();
    const events = await collect(engine.runs, session, { runs: 3 });
    expect(onScreen(events)).toEqual(["re first", "re second", "re third"]);
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("can be followed from any sequence number, without gaps or duplicates", async () => {
    engine.answers = (_call, step) =>
      step < 3 ? [{ text: "abc ".repeat(20) }, { call: "add", input: { a: 1, b: step } }] : [{ text: "end" }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "go" });
    const whole = await collect(engine.runs, session);
    for (let after = 0; after < whole.length; after += 3) {
      expect(await collect(engine.runs, session, { after })).toEqual(whole.slice(after));
    }
  });

  test("reaches a follower who subscribed with the message, live", async () => {
    engine.answers = () => [{ text: "one two three four" }];
    const session = await engine.newSession();
    const signal = AbortSignal.timeout(10_000);
    const sent = await engine.runs.sendAndFollow(session, { content: "go" }, {}, signal);
    if (!sent.ok) throw new Error(sent.failure.message);
    const seen: string[] = [];
    for await (const { json } of sent.value.events) {
      seen.push(...json.map((text) => JSON.parse(text).type));
      if (seen.at(-1) === "RUN_FINISHED") break;
    }
    expect(seen[0]).toBe("RUN_STARTED");
    expect(seen).toEqual(types(await collect(engine.runs, session)));
  });

  test("passes an attachment to a model that can read it, and says so when it cannot", async () => {
    let seen = "";
    engine.answers = ({ prompt }) => {
      seen = JSON.stringify(prompt.at(-1));
      return [{ text: "Seen." }];
    };
    const session = await engine.newSession();
    await engine.runs.send(session, {
      content: [
        { type: "text", text: "look" },
        { type: "file", mediaType: "image/png", source: { type: "data", base64: "iVBORw0KGgo=" } },
        {
          type: "file",
          mediaType: "text/plain",
          filename: "a.txt",
          source: { type: "data", base64: "aGVsbG8=" },
        },
        { type: "file", mediaType: "audio/mp3", source: { type: "data", base64: "AAAA" } },
      ],
    });
    const events = await collect(engine.runs, session);
    expect(seen).toContain('"mediaType":"image/png"');
    expect(seen).toContain("a.txt:\\nhello");
    expect(seen).toContain("was left out: the model test/scripted does not read audio/mp3");
    expect(events).toContainEqual(expect.objectContaining({ type: "CUSTOM", name: "capstan.warning" }));
    expect(await complaintsAbout(events)).toEqual([]);
  });

  test("changes the shared state by a patch, and clients see the change", async () => {
    engine.answers = (_call, step) =>
      step === 0
        ? [{ call: "update_state", input: { patch: [{ op: "replace", path: "/count", value: 2 }] } }]
        : [{ text: "Changed." }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "count" }, { state: { count: 1 } });
    const events = await collect(engine.runs, session);
    expect(events).toContainEqual({
      type: "STATE_DELTA",
      delta: [{ op: "replace", path: "/count", value: 2 }],
    });
    const { rows } = await engine.database.pool.query("select state from sessions where id = $1", [session]);
    expect(rows[0].state).toEqual({ count: 2 });
  });

  test("stores whatever a model says, even what Postgres would reject", async () => {
    const odd = 'NUL \u0000 half \ud83d quote " back \\u0000';
    engine.answers = (_call, step) =>
      step === 0 ? [{ text: odd }, { call: "note", input: { text: odd } }] : [{ text: "🚢".repeat(9) }];
    const session = await engine.newSession();
    await engine.runs.send(session, { content: `${odd} \ud83d` });
    const events = await collect(engine.runs, session);
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED" });
    expect(spoken(events)).toContain("🚢".repeat(9));
  });

  test.each([
    ["an empty message", { content: "" }, {}, "message_empty"],
    ["an invalid schema", { content: "x" }, { outputSchema: { type: "nonsense" } }, "output_schema_invalid"],
    [
      "a tool of the client with a taken name",
      { content: "x" },
      { clientTools: [{ name: "add", description: "" }] },
      "client_tool_conflict",
    ],
    [
      "a tool of the client that is sent twice",
      { content: "x" },
      { clientTools: [1, 2].map(() => ({ name: "choose", description: "" })) },
      "client_tool_invalid",
    ],
    [
      "a webhook that nobody would call",
      { content: "x" },
      { webhookUrl: "https://example.com/hook" },
      "webhooks_absent",
    ],
  ])("refuses %s before anything is stored", async (_what, message, options, code) => {
    const session = await engine.newSession();
    expect(await engine.runs.send(session, message, options)).toMatchObject({ ok: false, failure: { code } });
    expect((await engine.runs.messages(session, { limit: 10 })).items).toEqual([]);
  });

  test("refuses an unknown session", async () => {
    expect(await engine.runs.send("nonsense", { content: "x" })).toMatchObject({
      failure: { code: "not_found" },
    });
  });
});

describe.each(STORES)("a very long session on $name", ({ fresh }) => {
  const engine = useEngine(fresh);

  test("is read from its end, starting at a turn", async () => {
    let prompt: readonly { role: string; content: unknown }[] = [];
    engine.answers = (call) => {
      prompt = call.prompt;
      return [{ text: "Yes." }];
    };
    const session = await engine.newSession();
    await engine.database.pool.query(
      `insert into messages(session_id, position, id, run_id, role, content)
       select $1::uuid, n, 'm' || n, $1::uuid, case n % 3 when 0 then 'user' when 1 then 'assistant' else 'tool' end,
         case n % 3
           when 0 then json_build_array(json_build_object('type', 'text', 'text', 'question ' || n))
           when 1 then json_build_array(json_build_object('type', 'tool-call', 'toolCallId', 'c' || n,
             'toolName', 'add', 'input', json_build_object()))
           else json_build_array(json_build_object('type', 'tool-result', 'toolCallId', 'c' || (n - 1),
             'toolName', 'add', 'output', json_build_object('type', 'text', 'value', 'ok'))) end
       from generate_series(0, 2999) n`,
      [session],
    );
    await engine.runs.send(session, { content: "the last question" });
    await collect(engine.runs, session);
    expect(prompt.length).toBeLessThanOrEqual(302);
    expect(prompt[1]).toMatchObject({ role: "user" });
    expect(JSON.stringify(prompt.at(-1))).toContain("the last question");
    const { rows } = await engine.database.pool.query(
      "select position from messages where session_id = $1 and position >= 3000 order by position",
      [session],
    );
    expect(rows).toEqual([{ position: 3000 }, { position: 3001 }]);
  });
});
