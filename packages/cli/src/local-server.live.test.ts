import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { reachServer } from "./local-server.ts";

const CAPSTAN_DATA_DIR = mkdtempSync(join(tmpdir(), "capstan-start-"));
afterAll(() => rmSync(CAPSTAN_DATA_DIR, { recursive: true }));

test("a server that cannot start is not awaited, and its own message is shown", async () => {
  let said = "";
  const environment = { CAPSTAN_DATA_DIR, PORT: "4499", DATABASE_URL: "nonsense" };
  const api = await reachServer({ environment, say: (text) => (said += text) });
  expect(said).toMatch(/It exited immediately; .*server\.log says:\n[\s\S]*DATABASE_URL/);
  expect(await api.agents.list()).toMatchObject({
    failure: { code: "server_unreachable" },
  });
});
