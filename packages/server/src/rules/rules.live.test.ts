/** Rules on a real server: saved by the API, obeyed by the loop, tried on what happened. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("rules on $name", ({ fresh }) => {
  let server: TestServer;
  let agent: string;
  beforeAll(async () => {
    server = await testServer(await fresh());
    const made = await server.call("POST", "/v1/agents", {
      name: "Clerk",
      capabilities: ["test_math", "session_file_system"],
      tool_policies: { multiply: "approve" },
    });
    agent = made.body.id;
  });
  afterAll(() => server?.stop());

  const rule = async (body: object) => {
    const made = await server.call("POST", "/v1/rules", { name: "a rule", ...body });
    expect(made).toMatchObject({ status: 201 });
    return { ...made.body, remove: () => server.call("DELETE", `/v1/rules/${made.body.id}`) };
  };
  const check = async (tool: string, input: object) =>
    (await server.call("POST", "/v1/rules/check", { agent_id: agent, tool, input })).body;
  const send = async (content: string, by = agent) => {
    const session = (await server.call("POST", "/v1/sessions", { agent_id: by })).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
    const status = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toMatch(/done|waiting|failed/);
    const messages = (await server.call("GET", `/v1/sessions/${session}/messages`)).body.items;
    return { session, status: await status(), text: JSON.stringify(messages.at(-1)) };
  };

  test("a rule denies in the loop by its arguments, and the model is told which and why", async () => {
    const denied = await rule({
      tools: ["write_file"],
      when: [{ arg: "path", op: "not_under", value: "/reports" }],
      then: "deny",
      words: "Reports belong into /reports.",
    });
    expect(denied.sentence).toBe('Deny write_file when path is not under "/reports".');
    expect((await send("write hello to /notes.txt")).text).toContain("Reports belong into /reports.");
    expect((await send("write hello to /reports/a.txt")).text).toContain("I created /reports/a.txt");
    await denied.remove();
    expect((await send("write hello to /notes.txt")).text).toContain("I created /notes.txt");
  });

  test("a rule asks above a sum, and another allows what the policy would ask for", async () => {
    const asks = await rule({ tools: ["add"], when: [{ arg: "b", op: "above", value: 100 }], then: "ask" });
    expect((await send("add 2 and 40")).status).toBe("done");
    expect((await send("add 2 and 400")).status).toBe("waiting");
    expect((await send("multiply 2 and 3")).status).toBe("waiting");
    const allows = await rule({
      agent_id: agent,
      tools: ["multiply"],
      when: [{ arg: "a", op: "at_most", value: 10 }],
      then: "allow",
    });
    expect((await send("multiply 2 and 3")).status).toBe("done");
    expect((await send("multiply 20 and 3")).status).toBe("waiting");
    expect(await check("multiply", { a: 2, b: 3 })).toMatchObject({ decision: "allow", rule_id: allows.id });
    await asks.remove();
    await allows.remove();
  });

  test("deny beats ask beats allow, whatever the order", async () => {
    const made = [];
    for (const effect of ["allow", "deny", "ask"])
      made.push(await rule({ name: effect, tools: ["add"], then: effect }));
    expect(await check("add", { a: 1, b: 2 })).toMatchObject({ decision: "deny", rule_id: made[1]?.id });
    await made[1]?.remove();
    expect(await check("add", { a: 1, b: 2 })).toMatchObject({ decision: "ask", rule_id: made[2]?.id });
    await made[2]?.remove();
    expect(await check("add", { a: 1, b: 2 })).toMatchObject({ decision: "allow", rule_id: made[0]?.id });
    await made[0]?.remove();
    expect(await check("add", { a: 1, b: 2 })).toEqual({
      decision: "allow",
      rule_id: null,
      why: "The tool's own policy allows it.",
    });
  });

  test.each<[object, string]>([
    [{ tools: ["ad"], then: "deny" }, 'tools[0]: no tool is called "ad"; did you mean add'],
    [
      { tools: ["add"], when: [{ arg: "c", op: "above", value: 1 }], then: "deny" },
      'when[0].arg: no such argument "c"',
    ],
    [{ tools: ["add"], when: [{ expr: "args.a >" }], then: "deny" }, "when[0].expr: Unexpected token"],
    [{ tools: ["add"], when: [{ expr: "args.a.matches('(a+)+')" }], then: "deny" }, "matches()"],
    [{ tools: ["add"], when: [{ expr: "1 + 1" }], then: "deny" }, "not true or false"],
    [{ tools: ["add"], if: [], then: "deny" }, "if"],
    [{ tools: ["add"], then: "deny", ask: { whom: "admin" } }, "only allowed for a rule that asks"],
    [{ tools: ["add"], then: "ask", ask: { who: "admin" } }, "whom"],
    [{ tools: ["add"], when: [{ path: "telepathy" }], then: "deny" }, "path"],
    [
      { tools: ["add"], when: [{ time: { from: "25:00", to: "08:00" } }], then: "deny" },
      "a time such as 08:30",
    ],
    [
      { tools: ["add"], when: [{ time: { from: "08:00", to: "18:00", zone: "Mars" } }], then: "deny" },
      "Mars",
    ],
    [{ tools: ["add"], then: "perhaps" }, "then"],
  ])("%j is refused with what is wrong", async (body, words) => {
    const answer = await server.call("POST", "/v1/rules", { name: "wrong", ...body });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(JSON.stringify(words).slice(1, -1));
  });

  test("a rule that asks somebody is approved by them, not by the user, and expires as it says", async () => {
    const keyOf = async (owner: string) => {
      const made = await server.call("POST", "/v1/keys", { name: owner, owner, rights: ["run"] });
      return { authorization: `Bearer ${made.body.key}` };
    };
    const [ann, bob] = [await keyOf("ann@example.com"), await keyOf("bob@example.com")];
    const asks = await rule({
      tools: ["add"],
      then: "ask",
      ask: { whom: "bob@example.com", expiry: { policy: "expire", after_seconds: 3600 } },
    });
    expect(asks).toMatchObject({
      sentence: "Ask bob@example.com before add.",
      ask: { whom: "bob@example.com" },
    });
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent }, ann)).body.id;
    const sent = await server.call(
      "POST",
      `/v1/sessions/${session}/messages`,
      { content: "add 2 and 40" },
      ann,
    );
    const status = async () =>
      (await server.call("GET", `/v1/runs/${sent.body.run_id}`, undefined, ann)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe("waiting");
    const inbox = async (key: object) =>
      (await server.call("GET", "/v1/approvals?status=pending", undefined, key as Record<string, string>))
        .body.items;
    const [asked] = await inbox(bob);
    expect(asked).toMatchObject({ tool: "add", assignee: "bob@example.com" });
    expect(Date.parse(asked.expires_at) - Date.parse(asked.created_at)).toBeLessThanOrEqual(3_601_000);
    const answer = (key: Record<string, string>) =>
      server.call("POST", `/v1/approvals/${asked.id}`, { decision: "approve" }, key);
    expect(await answer(ann)).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("bob@") },
    });
    expect(await answer(bob)).toMatchObject({ status: 200 });
    await expect.poll(status, { timeout: 20_000 }).toBe("done");
    await asks.remove();
  });

  test("a rule for one way to a tool leaves the others alone", async () => {
    const denies = await rule({ tools: ["add"], when: [{ path: "rest" }], then: "deny" });
    const direct = await server.call("POST", "/v1/capabilities/test_math/tools/add", {
      input: { a: 1, b: 2 },
    });
    expect(direct).toMatchObject({ status: 403, body: { code: "rule_denied" } });
    expect((await send("add 2 and 40")).status).toBe("done");
    await denies.remove();
  });

  test("an expression decides over arguments, the user and the time", async () => {
    const denies = await rule({
      tools: ["add"],
      when: [{ expr: 'user.endsWith("@localhost") && args.a > 5.0 && now.getFullYear() > 2000' }],
      then: "deny",
    });
    expect((await check("add", { a: 6, b: 1 })).decision).toBe("deny");
    expect((await check("add", { a: 5, b: 1 })).decision).toBe("allow");
    await denies.remove();
  });

  test("a changed set is tried on what happened before it is saved, and the trial is what then happens", async () => {
    const { session } = await send("subtract 3 from 9");
    const trial = { name: "no subtracting", tools: ["subtract"], then: "deny" };
    const { body } = await server.call("POST", "/v1/rules/simulate", { rules: [trial] });
    const hit = body.newly_denied.find(({ session_id }: { session_id: string }) => session_id === session);
    expect(hit).toMatchObject({
      tool: "subtract",
      before: { decision: "allow" },
      after: { decision: "deny" },
    });
    expect([body.newly_allowed.length, body.newly_asked.length]).toEqual([0, 0]);
    const saved = await rule(trial);
    const explained = await server.call("GET", `/v1/rules/explain/${hit.call_id}`);
    expect(explained.body).toMatchObject({
      tool: "subtract",
      decisions: [{ decision: "allow", rule_id: null }],
      now: { decision: "deny", rule_id: saved.id },
    });
    expect(await check("subtract", hit.input)).toMatchObject({ decision: "deny" });
    await saved.remove();
  });

  test("a trial of a limit is what then happens", async () => {
    const made = await server.call("POST", "/v1/agents", { name: "Counter", capabilities: ["test_math"] });
    const sent = async () => {
      const texts: string[] = [];
      for (const a of [1, 2, 3]) texts.push((await send(`add ${a} and 5`, made.body.id)).text);
      return texts.map((text) => /is denied by the rule/.test(text));
    };
    expect(await sent()).toEqual([false, false, false]);
    const limit = { calls: 2, per: "day", each: "agent" };
    const trial = { name: "two", agent_id: made.body.id, tools: ["add"], then: "limit", limit };
    const { body } = await server.call("POST", "/v1/rules/simulate", { rules: [trial] });
    expect(body.newly_denied).toMatchObject([{ tool: "add", input: { a: 3, b: 5 } }]);
    const saved = await rule(trial);
    expect(await sent()).toEqual([false, false, true]);
    await saved.remove();
  });

  test("an approval proposes the narrowest rule, with what else it would have covered", async () => {
    const first = await send("multiply 4 and 5");
    const second = await send("multiply 3 and 5");
    const { body } = await server.call("GET", `/v1/approvals?session_id=${first.session}`);
    const proposal = (await server.call("GET", `/v1/approvals/${body.items[0].id}/rule`)).body;
    expect(proposal.sentence).toBe("Allow multiply when a is at most 4 and b is at most 5.");
    const covered = proposal.covers.map(({ session_id }: { session_id: string }) => session_id);
    expect(covered).toEqual(expect.arrayContaining([first.session, second.session]));
    const saved = await server.call("POST", "/v1/rules", proposal.rule);
    expect(saved).toMatchObject({ status: 201, body: { agent_id: agent, expires_at: expect.any(String) } });
    expect((await send("multiply 4 and 5")).status).toBe("done");
    expect((await send("multiply 4 and 6")).status).toBe("waiting");
    await server.call("DELETE", `/v1/rules/${saved.body.id}`);
  });

  test("a rule is read back as it was sent, changed in part, and gone when it is deleted", async () => {
    const made = await rule({ tools: ["add"], then: "ask", words: "why?" });
    const { id, sentence, created_by, created_at, updated_at, remove, ...fields } = made;
    const again = await server.call("POST", "/v1/rules", fields);
    expect(again.body).toMatchObject(fields);
    const changed = await server.call("PATCH", `/v1/rules/${id}`, { then: "deny", words: null });
    expect(changed.body).toMatchObject({ ...fields, then: "deny", words: null });
    await remove();
    expect((await server.call("GET", `/v1/rules/${id}`)).status).toBe(404);
    await server.call("DELETE", `/v1/rules/${again.body.id}`);
    expect((await server.call("GET", "/v1/rules")).body.items).toEqual([]);
    expect([sentence, created_by, created_at, updated_at].every(Boolean)).toBe(true);
  });
});
