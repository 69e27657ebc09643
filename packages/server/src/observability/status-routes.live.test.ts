import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { testServer } from "../../../../tools/test-server.ts";

describe.each(STORES)("the status on $name", ({ fresh }) => {
  test("names the default model, marks it as a demo, and lists counts and unusable files", async () => {
    const store = await fresh();
    mkdirSync(`${store.dataDir}/capabilities`, { recursive: true });
    writeFileSync(`${store.dataDir}/capabilities/broken.yaml`, "id: [");
    execFileSync("mkfifo", [`${store.dataDir}/capabilities/pipe.yaml`]); // reading it would stop the whole server
    const server = await testServer(store);
    try {
      const agent = await server.call("POST", "/v1/agents", { name: "Mate", capabilities: ["noop"] });
      await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
      const { status, body } = await server.call("GET", "/v1/status");
      expect(status).toBe(200);
      expect(body).toMatchObject({
        url: server.url,
        model: { name: "capstan/offline", label: "capstan/offline (demo)", demo: true },
        counts: { running: 0, pending_approvals: 0, sessions: 1, agents: 1 },
        notes: expect.arrayContaining([
          expect.stringMatching(/broken\.yaml is not used: /),
          expect.stringMatching(/pipe\.yaml is not used: .*no plain file/),
        ]),
      });
      expect(JSON.stringify(body)).not.toMatch(/postgres:postgres/);
      const elsewhere = await server.call("GET", "/v1/stauts");
      expect(elsewhere.body.nextStep).toBe("GET /openapi.json and the page at /docs list every route.");
    } finally {
      await server.stop();
    }
  });
});
