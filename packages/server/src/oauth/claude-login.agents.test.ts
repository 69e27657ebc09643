/** The real Claude Code logs in to `/mcp`. It demands a terminal and prints the address; the answer goes to the port it waits at. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareEnvironment } from "../../../../tools/bare-environment.ts";
import { consent } from "../../../../tools/oauth-client.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const CACHE = process.env.CAPSTAN_AGENTS_CACHE ?? join(homedir(), ".cache", "capstan-agents");
const SCRIPT = "/usr/bin/script"; // gives a program a terminal
const CLAUDE = join(CACHE, "claude", "node_modules", ".bin", "claude");

/** Between the codes of a terminal. */
const ADDRESS = /http:[!-~]+\/authorize\?[!-~]+/;

describe.skipIf(!existsSync(CLAUDE) || !existsSync(SCRIPT))("Claude Code", () => {
  let server: TestServer;
  let agentId: string;
  let home: string;
  beforeAll(async () => {
    server = await testServer(await freshPglite(), { CAPSTAN_CLIENT_DOCUMENTS: "off" });
    const made = await server.call("POST", "/v1/agents", { name: "Clerk", capabilities: ["test_math"] });
    agentId = made.body.id;
    home = mkdtempSync(join(tmpdir(), "capstan-claude-"));
  });
  afterAll(async () => {
    rmSync(home, { recursive: true, force: true });
    await server?.stop();
  });

  function claude(args: string, onText: (said: string) => void = () => {}): Promise<string> {
    const env = { ...bareEnvironment(), HOME: home, CLAUDE_CONFIG_DIR: join(home, ".claude") };
    const command = ["-qefc", `${CLAUDE} ${args}`, "/dev/null"];
    const child = spawn(SCRIPT, command, { cwd: home, env, stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    child.stdout.on("data", (part: Buffer) => {
      said += part;
      onText(said);
    });
    return new Promise((resolve) => {
      child.on("close", () => resolve(said));
    });
  }

  test("logs in by a browser, and is connected", async () => {
    await claude(`mcp add --transport http capstan ${server.url}/mcp`);
    expect(await claude("mcp list")).toMatch(/Needs.*authentication/s);
    let address: string | undefined;
    const said = await claude("mcp login capstan --no-browser", (text) => {
      if (address !== undefined || !text.includes("paste the redirect")) return;
      [address = ""] = text.match(ADDRESS) ?? [];
      void consent(server, new URL(address), { agent_id: agentId }).then(({ back }) => fetch(back ?? ""));
    });
    expect(said).toMatch(/authenticated|success|connected|logged in/i);
    expect(await claude("mcp list")).toMatch(/Connected/i);
    const { body } = await server.call("GET", "/v1/tokens");
    expect(body.items).toMatchObject([{ kind: "client", agent_id: agentId }]);
  });
});
