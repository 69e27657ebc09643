import type { RunEvent } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collect, last, results, spoken } from "../../../../tools/engine-under-test.ts";
import { type HarnessUnderTest, harnessUnderTest } from "./fixtures/harness-under-test.ts";
import { scriptedAdapter } from "./fixtures/scripted-adapter.ts";

let bench: HarnessUnderTest;
beforeAll(async () => {
  bench = await harnessUnderTest({
    adapters: [
      scriptedAdapter(),
      scriptedAdapter({ name: "forgetful", canResume: false }),
      scriptedAdapter({ name: "toolless", supportsMCP: false }),
      scriptedAdapter({ name: "stubborn", hidesNativeTools: false }),
      scriptedAdapter({ name: "absent", command: "/nowhere/absent" }),
    ],
    settings: { CAPSTAN_HARNESS_WAIT_SECONDS: "2" },
  });
});
afterAll(() => bench.stop());

const scripted = (more: object = {}) => bench.session({ harness: "scripted", ...more });
const outcome = (events: readonly RunEvent[]) => {
  const end = last(events);
  return end.type === "RUN_FINISHED" ? end.outcome?.type : end.type;
};

describe("a turn", () => {
  test("consists of the program's text and reasoning, streamed and stored as messages", async () => {
    const session = await scripted();
    const events = await bench.turn(session, "think hm\nsay Hello\nsay there.\nusage 7");
    expect(spoken(events)).toBe("Hello there. ");
    expect(outcome(events)).toBe("success");
    expect(last(events)).toMatchObject({
      usage: [{ provider: "scripted", model: "scripted-1", inputTokens: 7 }],
    });
    expect((await bench.messages(session)).map(({ role, content }) => ({ role, content }))).toEqual([
      { role: "user", content: [expect.objectContaining({ type: "text" })] },
      {
        role: "assistant",
        content: [
          { type: "reasoning", text: "hm" },
          { type: "text", text: "Hello there. " },
        ],
      },
    ]);
  });

  test("gives the program the composed prompt and tools, and disables its own", async () => {
    const session = await scripted({ system_prompt: "Be brief.", tool_policies: { add: "deny" } });
    const events = await bench.turn(session, "prompt\nnative\nlist");
    expect(spoken(events)).toContain("You are on the bench.");
    expect(spoken(events)).toContain("Be brief.");
    expect(spoken(events)).toMatch(/off *send,blocked,pick$/);
  });

  test("passes a call through the gate, and stores call and result before the text that follows", async () => {
    const session = await scripted();
    const events = await bench.turn(session, 'say Let me add.\ncall add {"a":2,"b":3}\nsay Done.');
    expect(results(events)).toEqual(['{"sum":5}']);
    expect(spoken(events)).toBe('Let me add. got {"sum":5}. Done. ');
    const [, asked, answered, ended] = await bench.messages(session);
    expect(asked?.content).toMatchObject([
      { type: "text", text: "Let me add. " },
      { type: "tool-call", toolName: "add", input: { a: 2, b: 3 } },
    ]);
    expect(answered?.content).toMatchObject([{ type: "tool-result", output: { value: { sum: 5 } } }]);
    expect(ended?.content).toMatchObject([{ type: "text", text: expect.stringContaining("Done.") }]);
    const { pool } = bench.server.services.database;
    const path = async () =>
      (await pool.query("select path, tool from call_history where session_id = $1", [session])).rows;
    await expect.poll(path).toEqual([{ path: "harness", tool: "add" }]);
  });

  test.each([
    ["a check denies", "blocked", /tool_denied[\s\S]*not on this bench/],
    ["a missing right hides", "guarded", /bench:guarded/],
    ["nobody offers", "nonsense", /nonsense/],
  ])("refuses a call of a tool that %s", async (_, tool, said) => {
    const session = await scripted();
    const events = await bench.turn(session, `call ${tool} {}`);
    expect(spoken(events)).toMatch(/^refused /);
    expect(spoken(events)).toMatch(said);
    expect(results(events)).toHaveLength(1);
  });

  test("continues the program's own session", async () => {
    const session = await scripted();
    await bench.turn(session, "say one");
    const events = await bench.turn(session, "recall");
    expect(spoken(events)).toBe("say one | recall");
  });

  test("sends the conversation to a program without a session", async () => {
    const session = await bench.session({ harness: "forgetful" });
    await bench.turn(session, "say one");
    const events = await bench.turn(session, "recall");
    expect(spoken(events)).toMatch(/The conversation so far[\s\S]*User: say one\nYou: one[\s\S]*recall/);
  });

  test("that fails reports why, with the next step", async () => {
    const events = await bench.turn(await scripted(), "say half\nfail 401");
    expect(last(events)).toMatchObject({
      type: "RUN_ERROR",
      code: "harness_failed",
      message: expect.stringMatching(/provider said no[\s\S]*Log 'scripted' in/),
    });
  });

  test("whose program dies is lost, and its output so far stays", async () => {
    const session = await scripted();
    const events = await bench.turn(session, "say half\ndie");
    expect(last(events)).toMatchObject({ type: "RUN_ERROR", code: "harness_lost" });
    expect((await bench.messages(session)).at(-1)?.content).toMatchObject([
      { text: "half ", interrupted: true },
    ]);
  });

  /** The program says it in base64: in the clear, it would itself store the token. */
  const decoded = (text: string) => JSON.parse(Buffer.from(text, "base64").toString());

  test("has a token for its tools that is invalid afterwards, and is stored nowhere", async () => {
    const events = await bench.turn(await scripted(), "token");
    const { url, headers } = decoded(spoken(events));
    expect(headers.authorization).toMatch(/^Bearer run_/);
    expect((await fetch(url, { method: "POST", headers, body: "{}" })).status).toBe(401);
    const again = decoded(spoken(await bench.turn(await scripted(), "token")));
    expect(again.headers.authorization).not.toBe(headers.authorization);
    const { rows } = await bench.server.services.database.pool.query(
      "select h::text from harness_sessions h union select t::text from tokens t",
    );
    expect(JSON.stringify(rows)).not.toContain(headers.authorization.slice("Bearer ".length));
  });

  test("whose answer must match a schema ends with it, and asks the program again once if it does not", async () => {
    const session = await scripted();
    const output_schema = { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] };
    const events = await bench.turn(session, { content: 'say {"sum":4}', output_schema });
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", result: { sum: 4 } });
    const wrong = await bench.turn(session, { content: "say four", output_schema });
    expect(last(wrong)).toMatchObject({ type: "RUN_ERROR", code: "output_not_valid" });
    expect((await bench.messages(session)).filter(({ role }) => role === "user")).toHaveLength(3);
  });

  test("can be handed over to another agent, who answers", async () => {
    const { body: other } = await bench.server.call("POST", "/v1/agents", {
      name: "Other",
      capabilities: [],
    });
    const session = await scripted({ capabilities: ["bench", `agent.${other.id}`] });
    const events = await bench.turn(session, 'call hand_over_to_other {"reason":"better"}\nsay never heard');
    expect(results(events)).toEqual(["Other has this conversation now."]);
    expect(outcome(events)).toBe("success");
    expect(spoken(events)).not.toContain("never heard");
    const { body } = await bench.server.call("GET", `/v1/sessions/${session}`);
    expect(body.agent_id).toBe(other.id);
  });
});

describe("an approval", () => {
  test("is in the inbox while the program waits, and an approval continues it", async () => {
    const session = await scripted();
    const asked = await bench.turn(session, 'say Now.\ncall send {"to":"a@b.c"}\nsay Sent.');
    expect(last(asked)).toMatchObject({
      type: "RUN_FINISHED",
      outcome: {
        type: "interrupt",
        interrupts: [{ metadata: { tool: "send", arguments: { to: "a@b.c" } } }],
      },
    });
    const events = await bench.answer(session, { decision: "approve" });
    expect(outcome(events)).toBe("success");
    expect(results(events)).toEqual(["sent to a@b.c"]);
    expect(spoken(events)).toBe("got sent to a@b.c. Sent. ");
    expect(spoken(await bench.turn(session, "recall"))).not.toContain("meanwhile"); // one program, from end to end
  });

  test("that is denied is reported to the program", async () => {
    const session = await scripted();
    await bench.turn(session, 'call send {"to":"a@b.c"}');
    const events = await bench.answer(session, { decision: "deny", words: "not today" });
    expect(spoken(events)).toMatch(/^refused [\s\S]*not today/);
  });

  test("may change the arguments", async () => {
    const session = await scripted();
    await bench.turn(session, 'call send {"to":"a@b.c"}');
    const events = await bench.answer(session, { decision: "approve", edited_args: { to: "x@y.z" } });
    expect(spoken(events)).toBe("got sent to x@y.z. ");
  });

  test("of two concurrent calls is one question with two parts; what needs no approval runs meanwhile", async () => {
    const session = await scripted();
    const asked = await bench.turn(session, 'both send add {"send":{"to":"a@b.c"},"add":{"a":1,"b":1}}');
    expect(results(asked)).toEqual(['{"sum":2}']);
    const events = await bench.answer(session, { decision: "approve" });
    expect(results(events)).toEqual(["sent to a@b.c"]);
    const roles = (await bench.messages(session)).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "tool", "assistant"]);
  });

  test("that comes after the program had to end is reported when it is resumed", async () => {
    const session = await scripted();
    await bench.turn(session, 'call send {"to":"late@b.c"}');
    await expect.poll(() => programs(session), { timeout: 20_000 }).toEqual([]);
    const events = await bench.answer(session, { decision: "approve" });
    expect(results(events)).toEqual(["sent to late@b.c"]);
    const told = spoken(await bench.turn(session, "recall"));
    expect(told).toMatch(/You called send\(\{"to":"late@b.c"\}\). Its result: sent to late@b.c/);
  });

  test("that nobody gives in time is a denial where the program cannot be resumed", async () => {
    const session = await bench.session({ harness: "forgetful" });
    const after = await bench.server.services.runs.lastSeq(session);
    await bench.turn(session, 'call send {"to":"a@b.c"}\nsay Over.');
    await expect
      .poll(async () => (await bench.server.services.runs.runsOf(session))[0]?.status, { timeout: 20_000 })
      .toBe("done");
    const last = (await bench.messages(session)).at(-1);
    expect(JSON.stringify(last?.content)).toMatch(/refused[\s\S]*not answered in time[\s\S]*Over\./);
    expect(after).toBe(0);
  });

  test("of a cancelled run is withdrawn, and its program ends", async () => {
    const session = await scripted();
    await bench.turn(session, 'call send {"to":"a@b.c"}');
    await bench.server.call("POST", `/v1/sessions/${session}/cancel`);
    await expect.poll(() => programs(session), { timeout: 20_000 }).toEqual([]);
    const { body } = await bench.server.call("GET", `/v1/approvals?session_id=${session}`);
    expect(body.items).toMatchObject([{ status: "cancelled" }]);
  });

  test("a client's own tool is answered by the client", async () => {
    const session = await scripted();
    const asked = await bench.turn(session, "call pick {}");
    const end = last(asked);
    const [id] =
      end.type === "RUN_FINISHED" && end.outcome?.type === "success"
        ? (end.outcome.pendingToolCallIds ?? [])
        : [];
    const after = await bench.server.services.runs.lastSeq(session);
    await bench.server.call("POST", `/v1/sessions/${session}/tool-results`, {
      results: [{ tool_call_id: id, output: "red" }],
    });
    const { collect } = await import("../../../../tools/engine-under-test.ts");
    const events = await collect(bench.server.services.runs, session, { after });
    expect(spoken(events)).toBe("got red. ");
  });
});

describe("the program's own tools", () => {
  const allowed = (more: object = {}) => scripted({ allow_native_tools: true, ...more });

  test("are marked as ungated where nobody was asked", async () => {
    const events = await bench.turn(await allowed(), "native\nwrite a.txt hi");
    expect(spoken(events)).toMatch(/^on/);
    expect(events).toContainEqual(
      expect.objectContaining({ type: "TOOL_CALL_START", toolCallName: "write", metadata: { native: true } }),
    );
    expect(events).toContainEqual(
      expect.objectContaining({ type: "TOOL_CALL_RESULT", metadata: { ungated: true } }),
    );
  });

  test("read what no gate sees: afterwards, a call that may send something out asks", async () => {
    const session = await allowed();
    const events = await bench.turn(session, 'write a.txt hi\ncall add {"a":1,"b":2}');
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "interrupt" } });
    const { labels } = (await bench.server.call("GET", `/v1/sessions/${session}`)).body;
    expect(labels).toMatchObject({ untrusted: { tool: "write" } });
  });

  test.each([
    ["approve", "written", "hello"],
    ["deny", "not today", undefined],
  ])("that require approval are answered from the inbox: %s", async (decision, result, content) => {
    const session = await allowed();
    const asked = await bench.turn(session, "askwrite asked.txt hello");
    expect(last(asked)).toMatchObject({
      outcome: { interrupts: [{ metadata: { tool: "write", capabilityId: "harness.scripted" } }] },
    });
    const events = await bench.answer(session, { decision, words: "not today" });
    expect(String(results(events))).toContain(result);
    expect(await fileOf(session, "asked.txt")).toBe(content);
  });

  test.each([
    ["auto", "hello"],
    ["deny", undefined],
  ])("follow the operator's policy: %s", async (policy, content) => {
    const session = await allowed({ tool_policies: { write: policy } });
    const events = await bench.turn(session, "askwrite asked.txt hello");
    expect(outcome(events)).toBe("success");
    expect(await fileOf(session, "asked.txt")).toBe(content);
  });
});

describe("another user's machine", () => {
  const isRoot = process.getuid?.() === 0;

  test.skipIf(!isRoot).each([true, false])(
    "is out of reach: a program does not run as the server's user, with its own tools %s",
    async (allow_native_tools) => {
      const session = await scripted({ allow_native_tools });
      expect(spoken(await bench.turn(session, "user"))).toMatch(/^uid 1\d{8}$/);
    },
  );

  test.skipIf(!isRoot)("is out of reach of a program whose own tools are not really off", async () => {
    const dataDir = bench.server.services.settings.CAPSTAN_DATA_DIR;
    const events = await bench.turn(await scripted(), `steal /etc/shadow ${dataDir}/secret.key ${dataDir}`);
    expect(spoken(events)).toBe("EACCES EACCES EACCES");
  });

  test.each([
    ["in.txt", JSON.stringify("from the session")],
    ["/../../../../../../../../etc/hostname", undefined],
  ])("is out of reach of attachments, whose paths are session paths: %s", async (path, content) => {
    const session = await scripted();
    await bench.server.call("PUT", `/v1/sessions/${session}/files/in.txt`, "from the session");
    const message = [
      { type: "text", text: "attached" },
      { type: "file", path, mime_type: "text/plain" },
    ];
    const after = await bench.server.services.runs.lastSeq(session);
    const sent = await bench.server.call("POST", `/v1/sessions/${session}/messages`, { content: message });
    const events = sent.status < 400 ? await collect(bench.server.services.runs, session, { after }) : [];
    expect(spoken(events)).toBe(content ?? "");
  });
});

describe("a policy", () => {
  test("changed by a person applies to the next call immediately", async () => {
    const made = await bench.server.call("POST", "/v1/agents", {
      name: "Watched",
      capabilities: ["bench"],
      harness: "scripted",
    });
    const { body } = await bench.server.call("POST", "/v1/sessions", { agent_id: made.body.id });
    expect(spoken(await bench.turn(body.id, 'call add {"a":1,"b":2}'))).toContain('got {"sum":3}');
    await bench.server.call("PATCH", `/v1/agents/${made.body.id}`, { tool_policies: { add: "deny" } });
    expect(spoken(await bench.turn(body.id, 'call add {"a":1,"b":2}'))).toContain("refused");
  });
});

describe("files", () => {
  test("of the session are the program's folder, and what it writes is in the session", async () => {
    const session = await scripted({ allow_native_tools: true, tool_policies: { write: "auto" } });
    await bench.server.call("PUT", `/v1/sessions/${session}/files/in.txt`, "from outside");
    const events = await bench.turn(session, "read in.txt\nwrite out.txt from inside");
    expect(spoken(events)).toContain("from outside");
    expect(await fileOf(session, "out.txt")).toBe("from inside");
  });

  test("are the same for a tool and for the program, within a turn", async () => {
    const session = await scripted({
      allow_native_tools: true,
      capabilities: ["bench", "session_file_system"],
      granted_scopes: ["*"],
    });
    const script = [
      "write mine.txt 123",
      'call read_file {"path":"/mine.txt"}',
      'call write_file {"path":"/yours.txt","content":"456"}',
      "read yours.txt",
    ];
    expect(spoken(await bench.turn(session, script.join("\n")))).toMatch(/123[\s\S]*456/);
  });
});

describe("a cancel", () => {
  test("interrupts the program; the next message continues its session", async () => {
    const session = await scripted();
    const after = await bench.server.services.runs.lastSeq(session);
    const { collect } = await import("../../../../tools/engine-under-test.ts");
    await bench.server.call("POST", `/v1/sessions/${session}/messages`, { content: "say working\nhang" });
    await collect(bench.server.services.runs, session, {
      after,
      enough: ({ type }) => type === "TEXT_MESSAGE_CONTENT",
    });
    await bench.server.call("POST", `/v1/sessions/${session}/cancel`);
    await expect.poll(() => programs(session), { timeout: 20_000 }).toEqual([]);
    expect((await bench.messages(session)).at(-1)?.content).toMatchObject([
      { text: "working ", interrupted: true },
    ]);
    expect(spoken(await bench.turn(session, "recall"))).toMatch(/^say working\nhang \|/);
  });
});

describe("an agent", () => {
  test.each([
    ["unknown", "nobody", {}, "coding_agent_unknown", /Use one of/],
    ["not installed", "absent", {}, "coding_agent_not_installed", /Install/],
    ["without MCP, for an agent with tools", "toolless", {}, "CAPABILITY_ERROR", /capstan coding-agents/],
    ["that keeps its own tools", "stubborn", {}, "harness_native_tools", /allow_native_tools/],
    ["without its model", "claude", { model: "gpt-9" }, "coding_agent_model_unknown", /capstan models/],
    [
      "with a model that does not support a budget",
      "claude",
      { model: "claude-opus-5-5", thinking_budget: 5000 },
      "CAPABILITY_ERROR",
      /another agent or model/,
    ],
    [
      "without thinking",
      "hermes",
      { thinking_effort: "high", allow_native_tools: true },
      "CAPABILITY_ERROR",
      /another agent or model/,
    ],
    [
      "native, with a budget",
      "native",
      { thinking_budget: 5000 },
      "CAPABILITY_ERROR",
      /another agent or model/,
    ],
  ])(
    "whose harness is %s cannot be saved, and gets the next step",
    async (_, harness, more, code, nextStep) => {
      const { status, body } = await bench.server.call("POST", "/v1/agents", {
        name: "No",
        harness,
        capabilities: ["bench"],
        ...more,
      });
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).toMatchObject({ code, nextStep: expect.stringMatching(nextStep) });
    },
  );

  test("without tools may use a program without MCP; one that keeps its own tools, once they are allowed", async () => {
    const toolless = await bench.session({ harness: "toolless", capabilities: [] });
    expect(spoken(await bench.turn(toolless, "say hi"))).toBe("hi ");
    const stubborn = await bench.session({ harness: "stubborn", allow_native_tools: true });
    expect(spoken(await bench.turn(stubborn, "say hi"))).toBe("hi ");
  });
});

/** The programs that run in the session's folder. */
async function programs(sessionId: string): Promise<string[]> {
  const { createHash } = await import("node:crypto");
  const { readdirSync, readlinkSync } = await import("node:fs");
  const folder = createHash("sha256").update(sessionId).digest("hex").slice(0, 32);
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`).includes(folder);
    } catch {
      return false;
    }
  });
}

async function fileOf(sessionId: string, path: string): Promise<string | undefined> {
  const { status, body } = await bench.server.call("GET", `/v1/sessions/${sessionId}/files/${path}`);
  return status === 200 ? String(body.content ?? body) : undefined;
}
