import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";

const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const CONFIG = `
import { bench } from ${JSON.stringify(fixture("bench-capability.ts"))};
import { scriptedAdapter } from ${JSON.stringify(fixture("scripted-adapter.ts"))};
export default {
  capabilities: [bench],
  codingAgents: [scriptedAdapter(), scriptedAdapter({ name: "forgetful", canResume: false })],
};
`;

/** A server start takes seconds, so the three outcomes of a program share a crash. */
test("a killed server takes its programs with it; its successor resumes their sessions, or reports them lost", async () => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-crash-"));
  writeFileSync(join(folder, "capstan.config.ts"), CONFIG);
  const store = await freshPglite();
  const environment = { HOME: folder, PATH: dirname(process.execPath) };
  const first = await serverProcess(store, environment, folder);
  onTestFinished(async () => {
    await first.end("SIGKILL");
    await store.drop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const goesOn = await begin(first, "scripted", 'say one\ncall add {"a":1,"b":1}\nhang\nsay two');
  const isLost = await begin(first, "forgetful", "say one\nhang\nsay two");
  const waits = await begin(first, "scripted", 'call send {"to":"a@b.c"}');
  await expect
    .poll(() => first.log() + programs(goesOn, isLost, waits).length, { timeout: 30_000 })
    .toBe("3");
  await expect.poll(() => statusOf(first, waits), { timeout: 30_000 }).toBe("waiting");
  await expect.poll(() => textOf(first, goesOn), { timeout: 30_000 }).toMatch(/sum/);
  await first.end("SIGKILL");
  await expect.poll(() => programs(goesOn, isLost, waits), { timeout: 30_000 }).toEqual([]);

  const second = await serverProcess(store, environment, folder);
  onTestFinished(() => second.end());
  await expect.poll(() => statusOf(second, goesOn), { timeout: 40_000 }).toBe("done");
  const said = await textOf(second, goesOn);
  expect(said).toContain("two");
  expect(said.match(/"sum"/g)).toHaveLength(1); // completed work is not repeated
  await expect.poll(() => statusOf(second, isLost), { timeout: 40_000 }).toBe("failed");
  expect((await runOf(second, isLost)).outcome).toMatchObject({ failure: { code: "harness_lost" } });

  const { body } = await second.call("GET", `/v1/approvals?status=pending&session_id=${waits}`);
  expect(body.items).toHaveLength(1);
  await second.call("POST", `/v1/approvals/${body.items[0].id}`, { decision: "approve" });
  await expect.poll(() => statusOf(second, waits), { timeout: 40_000 }).toBe("done");
  expect(await textOf(second, waits)).toContain("sent to a@b.c");
}, 180_000);

async function begin(server: ServerProcess, harness: string, content: string): Promise<string> {
  const agent = await server.call("POST", "/v1/agents", { name: harness, harness, capabilities: ["bench"] });
  const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
  await server.call("POST", `/v1/sessions/${session.body.id}/messages`, { content });
  return session.body.id;
}

async function runOf(server: ServerProcess, session: string) {
  return (await server.call("GET", `/v1/sessions/${session}/runs`)).body.items[0];
}

const statusOf = async (server: ServerProcess, session: string): Promise<string> =>
  (await runOf(server, session))?.status;

const textOf = async (server: ServerProcess, session: string): Promise<string> =>
  (await server.call("GET", `/v1/sessions/${session}/messages`)).body.items
    .filter(({ role }: { role: string }) => role !== "user")
    .map((message: unknown) => JSON.stringify(message).replaceAll("\\", ""))
    .join("\n");

/** The programs that run in the folders of these sessions. */
function programs(...sessions: string[]): string[] {
  const folders = sessions.map((id) => createHash("sha256").update(id).digest("hex").slice(0, 32));
  return readdirSync("/proc").filter((pid) => {
    try {
      const cwd = /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : "";
      return folders.some((folder) => cwd.includes(folder));
    } catch {
      return false;
    }
  });
}
