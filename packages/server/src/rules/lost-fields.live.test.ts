/** A new version of a capability takes an argument away that a saved rule speaks of. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await testServer(await freshPglite());
});
afterAll(() => server?.stop());

const document = (version: string, field: string) => ({
  id: "letters",
  name: "Letters",
  description: "Sends letters.",
  version,
  base_url: "https://letters.example.com",
  tools: [
    {
      name: "send_letter",
      description: "Sends a letter.",
      method: "POST",
      path: "/letters",
      parameters: { to: { type: "string", required: true }, [field]: { type: "string" } },
    },
  ],
});

test("such a rule is broken: it denies, says why, and cannot be saved again until it names what there is", async () => {
  expect((await server.call("POST", "/v1/capabilities", document("1.0.0", "attachment"))).status).toBe(201);
  const agent = (await server.call("POST", "/v1/agents", { name: "Post", capabilities: ["letters"] })).body
    .id;
  const check = async () =>
    (
      await server.call("POST", "/v1/rules/check", {
        agent_id: agent,
        tool: "send_letter",
        input: { to: "ada@example.com" },
      })
    ).body;
  const made = await server.call("POST", "/v1/rules", {
    name: "No attachments",
    tools: ["send_letter"],
    when: [{ arg: "attachment", op: "exists" }],
    then: "deny",
  });
  expect(made.status).toBe(201);
  expect(await check()).toMatchObject({ decision: "allow" });

  const replaced = await server.call("POST", "/v1/capabilities", document("2.0.0", "attachments"));
  expect(replaced.status).toBeLessThan(300);
  expect(await check()).toMatchObject({
    decision: "deny",
    rule_id: made.body.id,
    why: expect.stringContaining(
      'the rule "No attachments" broke: send_letter has no argument "attachment" any more',
    ),
  });
  const again = await server.call("PATCH", `/v1/rules/${made.body.id}`, { name: "None" });
  expect(again).toMatchObject({ status: 422 });
  expect(JSON.stringify(again.body)).toContain("did you mean attachments?");
  const mended = await server.call("PATCH", `/v1/rules/${made.body.id}`, {
    when: [{ arg: "attachments", op: "exists" }],
  });
  expect(mended.status).toBe(200);
  expect(await check()).toMatchObject({ decision: "allow" });
});
