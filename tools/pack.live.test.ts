import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { build } from "./build.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

describe("the packages as they are published", () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "capstan-pack-"));
    const staged = await build(join(folder, "build"));
    const npm = (args: string[], cwd: string) => execFileSync("npm", args, { cwd, stdio: "pipe" });
    const tarballs = readdirSync(staged).map((name) =>
      npm(["pack", "--silent", "--pack-destination", folder], join(staged, name)).toString().trim(),
    );
    const user = join(folder, "user");
    cpSync(join(ROOT, "examples"), user, { recursive: true, filter: (path) => !path.endsWith(".test.ts") });
    writeFileSync(join(user, "package.json"), JSON.stringify({ type: "module", private: true }));
    npm(
      [
        "install",
        "--no-audit",
        "--no-fund",
        "--prefer-offline", // the workspace's own install has just fetched these
        ...tarballs.map((name) => join(folder, name)),
      ],
      user,
    );
  }, 400_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each([
    ["own-capability.ts", /roll \(auto\)/],
    ["research-assistant.ts", /read back: Research Assistant, active/],
    ["declarative-capability.ts", /in the catalog: Tides/],
  ])("an empty folder runs %s from the published names", (name, prints) => {
    const env = { PATH: process.env.PATH ?? "" };
    const printed = execFileSync(process.execPath, [name], {
      cwd: join(folder, "user"),
      timeout: 60_000,
      env,
    });
    expect(printed.toString()).toMatch(prints);
  });

  test("the command is there and knows its version", () => {
    const bin = join(folder, "user/node_modules/.bin/capstan");
    expect(execFileSync(process.execPath, [bin, "--version"]).toString()).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
