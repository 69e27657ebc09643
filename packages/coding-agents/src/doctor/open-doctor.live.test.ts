import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openDoctor } from "./open-doctor.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-open-doctor-"));
  await mkdir(join(folder, "bin"));
  await symlink(process.execPath, join(folder, "bin", "node")); // its own path may have spaces, which no #! line can hold
  await mkdir(join(folder, "home", ".codex"), { recursive: true });
  await writeFile(join(folder, "home", ".codex", "auth.json"), '{"key":"sk-secret"}', { mode: 0o000 });
  await program("codex", "console.log('codex-cli 0.170.0')");
  await program("opencode", "console.error('the postinstall script was not run'); process.exit(1)");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(folder, "bin", name), `#!/usr/bin/env node\n${script}`);
  await chmod(join(folder, "bin", name), 0o755);
}

test("inspects this machine: programs by running them, logins without opening them", async () => {
  const environment = { PATH: join(folder, "bin"), HOME: join(folder, "home"), GEMINI_API_KEY: "sk-secret" };
  const doctor = await openDoctor({ folder: join(folder, "probes"), environment });
  const checks = new Map((await doctor.checkAll()).map((check) => [check.agent, check]));
  expect(checks.size).toBe(10);
  expect(checks.get("codex")).toMatchObject({
    installed: true,
    version: "0.170.0",
    standing: "newer",
    login: { found: true, by: ["~/.codex/auth.json"] },
  });
  expect(checks.get("opencode")).toMatchObject({
    installed: false,
    problem: expect.stringContaining("postinstall"),
  });
  expect(checks.get("gemini")).toMatchObject({ installed: false, login: { by: ["GEMINI_API_KEY"] } });
  expect(JSON.stringify([...checks.values()])).not.toContain("sk-secret");
});

test("does not probe what is not installed", async () => {
  const doctor = await openDoctor({
    folder: join(folder, "probes"),
    environment: { PATH: join(folder, "bin") },
  });
  expect(await doctor.probe("pi")).toBeNull();
});
