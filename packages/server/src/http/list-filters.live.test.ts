/** Lists are filtered by agent, status and text, where their rows have these. Each list has a row that a filter must leave out. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const LOGIN = { kind: "browser", issuer: "https://id.example", subject: "one", sid: undefined } as const;

describe.each(STORES)("filters on $name", ({ fresh }) => {
  let server: TestServer;
  const ids: Record<string, string> = {};
  const make = async (path: string, body: object) => {
    const { status, body: made } = await server.call("POST", path, body);
    expect([200, 201, 202], JSON.stringify(made)).toContain(status);
    return made;
  };
  /** A recorded run of an agent. */
  const run = async (agent: string, content: string): Promise<string> => {
    const session = await make("/v1/sessions", { agent_id: agent });
    const { body } = await server.call("POST", `/v1/sessions/${session.id}/messages`, { content });
    const status = async () => (await server.call("GET", `/v1/runs/${body.run_id}`)).body.status;
    await vi.waitFor(async () => expect(await status()).toBe("done"), { timeout: 20_000 });
    return body.run_id;
  };

  /** A tool of an agent used the connection of "pier". */
  const used = (agent: string, tool: string) =>
    server.services.database.pool.query(
      `insert into connection_uses (id, connection_id, agent_id, capability_id, tool)
         values (gen_random_uuid(), $1, $2, 'mail', $3)`,
      [ids["pier connection"], ids[agent], tool],
    );

  beforeAll(async () => {
    server = await testServer(await fresh());
    for (const name of ["pier", "quay"]) {
      const agent = (
        await make("/v1/agents", { name, capabilities: [`test_${name === "pier" ? "math" : "weather"}`] })
      ).id;
      ids[name] = agent;
      const budget = { name: `Budget of ${name}`, limit: 1_000_000, period: "day", agent_id: agent };
      await make("/v1/budgets", { ...budget, measure: name === "pier" ? "calls" : "tokens" });
      const then = name === "pier" ? "mask" : "block";
      await make("/v1/text-checks", { name: `No ${name}`, find: { words: [name] }, then, agent_id: agent });
      const dataset = await make("/v1/datasets", { name: `Cases of ${name}` });
      const items = [
        { id: `${name}-1`, input: `Where is the ${name}?` },
        { id: `${name}-2`, input: "Hello" },
      ];
      expect((await server.call("POST", `/v1/datasets/${dataset.id}/items`, { items })).status).toBeLessThan(
        300,
      );
      ids[`${name} cases`] = dataset.id;
      const experiment = {
        name: `Try ${name}`,
        dataset_id: dataset.id,
        agent_id: agent,
        scorers: [{ type: "exact" }],
      };
      ids[`${name} experiment`] = (await make("/v1/experiments", experiment)).id;
      const prompt = { system_prompt: `You know the ${name}.`, model: "recorded" };
      ids[`${name} replay`] = (
        await make("/v1/replays", { runs: [await run(agent, `Hello ${name}`)], with: prompt })
      ).id;
      await server.call("PATCH", `/v1/agents/${agent}`, { description: "Changed.", why: `Asked by ${name}` });
      const later = { items: [{ id: "later", input: "Later" }], why: `For the ${name}` };
      await server.call("POST", `/v1/datasets/${dataset.id}/items`, later);
      const scorers = [{ type: "no_leak" }];
      ids[`${name} monitor`] = (
        await make("/v1/monitors", { name: `Watch ${name}`, agent_id: agent, scorers })
      ).id;
      await make(`/v1/agents/${agent}/tokens`, { name: `Token of ${name}` });
      await server.call("PUT", `/v1/connection-providers/${name}`, { kind: "api_key", hosts: ["a.example"] });
      const connected = await make("/v1/connections", { provider: name, key: "secret", agent_id: agent });
      ids[`${name} connection`] = connected.connection.id;
      await server.services.logins.create({
        ...LOGIN,
        userEmail: `${name}@example.com`,
        device: `A ${name}`,
      });
      const capability = name === "pier" ? "test_math" : "test_weather";
      await make("/v1/schedules", { capability, cron: "0 5 * * *", type: `${name}.daily` });
    }
    await server.call("POST", `/v1/experiments/${ids["quay experiment"]}/cancel`);
    await server.call("PATCH", `/v1/monitors/${ids["quay monitor"]}`, { status: "paused" });
    await used("pier", "send_mail");
    await used("quay", "read_mail");
  });
  afterAll(() => server.stop());

  const placed = (value: unknown) =>
    typeof value === "string"
      ? value.replace(/\{([\w ]+)\}/g, (_, name: string) => ids[name] ?? name)
      : value;
  const found = async (path: string, field: string): Promise<unknown[]> => {
    const { status, body } = await server.call("GET", String(placed(path)));
    expect(status, JSON.stringify(body)).toBe(200);
    return body.items.map((row: Record<string, unknown>) => row[field]);
  };

  test.each([
    ["/v1/budgets?agent_id={pier}", "name", ["Budget of pier"]],
    ["/v1/budgets?measure=tokens", "name", ["Budget of quay"]],
    ["/v1/budgets?user=nobody@example.com", "name", []],
    ["/v1/budgets?q=OF%20PIER", "name", ["Budget of pier"]],
    ["/v1/text-checks?agent_id={quay}", "name", ["No quay"]],
    ["/v1/text-checks?then=mask", "name", ["No pier"]],
    ["/v1/text-checks?q=no%20quay", "name", ["No quay"]],
    ["/v1/datasets?q=QUAY", "name", ["Cases of quay"]],
    ["/v1/datasets/{pier cases}/items?q=where", "id", ["pier-1"]],
    ["/v1/experiments?agent_id={pier}", "name", ["Try pier"]],
    ["/v1/experiments?q=quay", "name", ["Try quay"]],
    ["/v1/tokens?agent_id={quay}", "name", ["Token of quay"]],
    ["/v1/tokens?kind=client", "name", []],
    ["/v1/tokens?q=PIER", "name", ["Token of pier"]],
    ["/v1/connections?agent_id={pier}", "provider", ["pier"]],
    ["/v1/connections?provider=quay", "provider", ["quay"]],
    ["/v1/connections?status=ended", "provider", []],
    ["/v1/connections?q=PIE", "provider", ["pier"]],
    ["/v1/logins?q=quay@", "user", ["quay@example.com"]],
    ["/v1/schedules?q=pier", "type", ["pier.daily"]],
    ["/v1/schedules?agent_id={quay}", "type", ["quay.daily"]],
    ["/v1/runs?q=hello%20PIER", "agent_id", ["{pier}"]],
    ["/v1/runs?q=nowhere", "agent_id", []],
    ["/v1/agents/{pier}/revisions?q=ASKED%20BY", "number", [2]],
    ["/v1/agents/{pier}/revisions?q=quay", "number", []],
    ["/v1/datasets/{pier cases}/versions?q=THE%20pier", "number", [2]],
    ["/v1/monitors?q=ch%20PIER", "name", ["Watch pier"]],
    ["/v1/monitors?agent_id={quay}", "name", ["Watch quay"]],
    ["/v1/monitors?status=paused", "name", ["Watch quay"]],
    ["/v1/connections/{pier connection}/uses?q=SEND", "tool", ["send_mail"]],
    ["/v1/connections/{pier connection}/uses?agent_id={quay}", "tool", ["read_mail"]],
  ])("%s", async (path, field, expected) => {
    expect(await found(path, field)).toEqual(expected.map(placed));
  });

  test("replays by agent, status and text, also in small pages", async () => {
    expect(await found("/v1/replays?agent_id={pier}", "id")).toEqual([ids["pier replay"]]);
    expect(await found("/v1/replays?q=the%20QUAY", "id")).toEqual([ids["quay replay"]]);
    await expect.poll(() => found("/v1/replays?status=running", "id")).toEqual([]);
    expect(await found("/v1/replays?status=done&limit=1&agent_id={quay}", "id")).toEqual([
      ids["quay replay"],
    ]);
  });

  test("experiments by status", async () => {
    await expect.poll(() => found("/v1/experiments?status=running", "id")).toEqual([]);
    const ended = [
      ...(await found("/v1/experiments?status=done", "id")),
      ...(await found("/v1/experiments?status=cancelled", "id")),
    ];
    expect(ended.sort()).toEqual([ids["pier experiment"], ids["quay experiment"]].sort());
  });

  test.each([
    ["/v1/replays?status=doen"],
    ["/v1/replays?agent_id=nobody"],
    ["/v1/experiments?status=ready"],
    ["/v1/budgets?measure=euro"],
    ["/v1/text-checks?then=ignore"],
    ["/v1/connections?status=on"],
    ["/v1/sessions?status=done"],
  ])("%s is refused, not answered with every row", async (path) => {
    expect(await server.call("GET", path)).toMatchObject({ status: 422, body: { code: "input_invalid" } });
  });
});
