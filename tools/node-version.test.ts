import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const MODULE = new URL("node-version.mjs", import.meta.url).href;

test.each([
  ["npm/10.8.2 node/v20.18.3 linux x64", true],
  ["npm/10.8.2 node/v18.20.0 linux x64", true],
  ["npm/10.8.2 node/v20.19.0 linux x64", false],
  ["npm/11.6.0 node/v24.0.0 linux x64", false],
  ["", false],
])("an install by %j is refused: %s", (userAgent, refused) => {
  const code = `import(${JSON.stringify(MODULE)}).then((it) => it.refuseOldInstaller(process.argv[1]))`;
  const { status, stderr } = spawnSync(process.execPath, ["-e", code, userAgent], { encoding: "utf8" });
  expect(status).toBe(refused ? 1 : 0);
  if (refused) expect(stderr).toMatch(/needs Node 20\.19 or newer to install[\s\S]*nodejs\.org/);
});

test("the end of an install says it, before it builds anything", () => {
  const prepare = fileURLToPath(new URL("prepare.mjs", import.meta.url));
  const env = { npm_config_user_agent: "npm/10.8.2 node/v20.18.0 linux x64" };
  expect(spawnSync(process.execPath, [prepare], { env }).status).toBe(1);
});
