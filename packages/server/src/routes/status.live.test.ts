import { describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("the status on $name", ({ fresh }) => {
  test("says which model answers, that it is a demo, and how much there is", async () => {
    const server = await testServer(await fresh());
    try {
      const agent = await server.call("POST", "/v1/agents", { name: "Mate", capabilities: ["noop"] });
      await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
      const { status, body } = await server.call("GET", "/v1/status");
      expect(status).toBe(200);
      expect(body).toMatchObject({
        url: server.url,
        model: { name: "capstan/offline", label: "capstan/offline (demo)", demo: true },
        counts: { running: 0, pending_approvals: 0, sessions: 1, agents: 1 },
      });
      expect(JSON.stringify(body)).not.toMatch(/postgres:postgres/);
    } finally {
      await server.stop();
    }
  });
});
