import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { freshPglite, freshPostgres } from "../../../../tools/stores-under-test.ts";
import { runCommand } from "../run-command.ts";

test("an installation moves by a file and to Postgres, and pending approvals are answered there", async () => {
  const store = await freshPglite();
  const postgres = await freshPostgres();
  const folder = await mkdtemp(join(tmpdir(), "capstan-backup-"));
  const file = join(folder, "all.capstan");
  const here = { CAPSTAN_DATA_DIR: store.dataDir };
  try {
    const server = await serverProcess(store);
    const sessionId = await askForApproval(server);
    const busy = await capstan(["backup", file], here);
    expect(busy).toMatchObject({ code: 1, err: expect.stringContaining("is using the data folder") });
    await server.end();

    const written = await capstan(["backup", file, "--json"], here);
    expect(JSON.parse(written.out)).toMatchObject({
      path: file,
      rows: { agents: 1, sessions: 1 },
      servers: 0,
    });
    expect((await stat(file)).mode & 0o777).toBe(0o600);

    const elsewhere = join(folder, "elsewhere");
    const restored = await capstan(["restore", file], { CAPSTAN_DATA_DIR: elsewhere });
    expect(restored).toMatchObject({ code: 0, out: expect.stringContaining("1 agents, 1 sessions") });

    const { url = "" } = postgres;
    const moved = await capstan(["migrate", "--to", url], { CAPSTAN_DATA_DIR: elsewhere });
    expect(moved).toMatchObject({ code: 0, out: expect.stringContaining("start every server") });
    expect(moved.out).not.toContain("postgres:postgres");
    await answered({ dataDir: elsewhere, url }, sessionId);
    const again = await capstan(["migrate", "--to", url, "--json"], here);
    expect(JSON.parse(again.err)).toMatchObject({ code: "target_not_empty" });
  } finally {
    await rm(folder, { recursive: true, force: true });
    await Promise.all([store.drop(), postgres.drop()]);
  }
}, 180_000); // seven processes are started, one after the other

test.each([["backup"], ["restore"], ["migrate"], ["migrate", "--to", "mysql://x"]])(
  "capstan %s %s %s reports what is required",
  async (...args) => {
    const { code, err } = await capstan(args, {});
    expect(code).toBe(1);
    expect(err).toContain("Usage: capstan");
  },
);

/** An agent whose sum requires approval, asked for one. */
async function askForApproval(server: ServerProcess): Promise<string> {
  const agent = await server.call("POST", "/v1/agents", {
    name: "Sums",
    capabilities: ["test_math"],
    tool_policies: { add: "approve" },
  });
  const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
  await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content: "add 2 and 40" });
  await expect.poll(() => statusOf(server, session.body.id), { timeout: 20_000 }).toBe("waiting");
  return session.body.id;
}

async function answered(store: { dataDir: string; url?: string }, sessionId: string): Promise<void> {
  const server = await serverProcess(store);
  try {
    const { body } = await server.call("GET", "/v1/approvals");
    expect(body.items).toMatchObject([{ status: "pending", tool: "add", session_id: sessionId }]);
    await server.call("POST", `/v1/approvals/${body.items[0].id}`, { decision: "approve" });
    await expect.poll(() => statusOf(server, sessionId), { timeout: 20_000 }).toBe("done");
    const { body: said } = await server.call("GET", `/v1/sessions/${sessionId}/messages`);
    expect(JSON.stringify(said.items.at(-1))).toContain("42");
  } finally {
    await server.end();
  }
}

async function statusOf(server: ServerProcess, sessionId: string): Promise<string> {
  const { body } = await server.call("GET", `/v1/sessions/${sessionId}/runs`);
  return body.items[0]?.status;
}

async function capstan(args: string[], environment: Record<string, string>) {
  let [out, err] = ["", ""];
  const code = await runCommand(args, {
    environment: { PATH: process.env.PATH, ...environment },
    server: () => Promise.reject(new Error("these commands need no server")),
    terminal: {
      isInteractive: false,
      columns: 100,
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      ask: async () => undefined,
      async *lines() {},
      onInterrupt: () => () => {},
    },
  });
  return { code, out, err };
}
