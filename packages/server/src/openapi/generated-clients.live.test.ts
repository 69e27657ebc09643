/** Clients that others' generators make of /openapi.json compile under strict settings and do the work. */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareEnvironment } from "../../../../tools/bare-environment.ts";
import { cachedPackages } from "../../../../tools/npm-cache.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { needsApproval } from "../ag-ui/fixtures/agent-under-test.ts";

const run = promisify(execFile);
const PACKAGES = [
  "openapi-typescript@7.13.0",
  "openapi-fetch@0.17.0",
  "@hey-api/openapi-ts@0.99.0",
  "typescript@5.9.3", // the generators write with its library; what they wrote is compiled with ours
];
const TSC = fileURLToPath(new URL("../../../../node_modules/typescript/bin/tsc", import.meta.url));
const STRICT = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "dom", "dom.iterable"],
    module: "nodenext",
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: ["node"],
    typeRoots: [fileURLToPath(new URL("../../../../node_modules/@types", import.meta.url))],
  },
  include: ["."],
};

const HEY_API = { input: "../openapi.json", output: { path: "generated", importFileExtension: ".ts" } };

const installed = cachedPackages("openapi-clients", PACKAGES);
let server: TestServer;
let llm: ScriptedLlm;

describe.skipIf(installed === undefined)("generated clients (need the npm registry once)", () => {
  let work: string;
  let document: string;
  beforeAll(async () => {
    llm = await scriptedLlm(needsApproval);
    server = await testServer(await freshPglite(), llmEnvironment(llm));
    work = mkdtempSync(join(`${installed}`, "work-"));
    document = join(work, "openapi.json");
    writeFileSync(document, JSON.stringify((await server.call("GET", "/openapi.json")).body));
  });
  afterAll(async () => {
    rmSync(work, { recursive: true, force: true });
    await server?.stop();
    await llm?.close();
  });

  const node = (cwd: string, ...args: string[]) =>
    run(process.execPath, args, { cwd, env: bareEnvironment() });
  const bin = (path: string) => join(`${installed}`, "node_modules", path);

  test.each([
    [
      "openapi-typescript with openapi-fetch",
      "openapi-fetch-program.ts",
      [bin("openapi-typescript/bin/cli.js"), "../openapi.json", "-o", "generated.ts"],
    ],
    [
      "@hey-api/openapi-ts",
      "hey-api-program.ts",
      [bin("@hey-api/openapi-ts/bin/run.js"), "-f", "openapi-ts.config.js"],
    ],
  ])(
    "%s compiles, makes an agent, sends a message and answers an approval",
    async (_what, program, generate) => {
      const folder = join(work, program.replace(".ts", ""));
      mkdirSync(folder);
      cpSync(fileURLToPath(new URL(`fixtures/${program}`, import.meta.url)), join(folder, program));
      writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(STRICT));
      writeFileSync(join(folder, "openapi-ts.config.js"), `export default ${JSON.stringify(HEY_API)};`);
      await node(folder, ...generate);
      await node(folder, TSC, "-p", ".").catch(({ stdout }) => expect(stdout).toBe(""));
      const { stdout } = await node(folder, program, server.url);
      expect(JSON.parse(stdout)).toEqual({
        policies: { delete_file: "approve" },
        status: "approved",
        results: [{ tool: "delete_file", output: { path: "/other.txt", deleted: false, deleted_count: 0 } }],
        tools: expect.arrayContaining(["delete_file", "m_add"]),
        refused: "not_found",
      });
    },
  );
});
