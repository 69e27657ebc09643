/** Which user a program would run as, on a server that can change users and on one that cannot. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { agentSpec, type RuntimeAgent } from "@capstan/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type HarnessUserParts, harnessUsers } from "./harness-users.ts";

const isRoot = process.getuid?.() === 0;
const ANN = "ann@example.com";
const LOCAL = "local@localhost";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "capstan-users-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Rights = ("read" | "run" | "author" | "admin")[];
const key = (rights: Rights, revoked = false) => ({ rights, revoked });

function userOf(
  { email = ANN, native = false }: { email?: string; native?: boolean },
  parts: Partial<HarnessUserParts> = {},
) {
  const users = harnessUsers({
    dataDir: join(folder, "data"),
    folder: join(folder, "data", "harness"),
    changesUser: async () => false,
    asServer: [],
    allowsUnseparated: false,
    keysOf: async () => [],
    loginOf: async () => ({ variables: ["ACME_KEY"], files: ["~/.acme/login.json"] }),
    environment: { HOME: join(folder, "home") },
    ...parts,
  });
  const spec = {
    ...agentSpec({ name: "A", harness: "acme", allowNativeTools: native }),
    id: "a",
    version: 1,
  };
  const agent: RuntimeAgent = { spec, systemPrompt: "", tools: [], scopes: [] } as never;
  return users.userFor({ agent, userEmail: email }, "acme", undefined);
}

describe("a server that cannot change users", () => {
  test.each<[string, string, ReturnType<typeof key>[], string]>([
    ["the local user", LOCAL, [], "runs"],
    [
      "the local user, in whose name a key with fewer rights can start runs",
      LOCAL,
      [key(["run"])],
      "refused",
    ],
    ["the local user, whose other key is revoked", LOCAL, [key(["run"], true)], "runs"],
    ["the local user, whose other key only reads", LOCAL, [key(["read"])], "runs"],
    ["an admin", ANN, [key(["admin"])], "runs"],
    ["an admin who also has a key with fewer rights", ANN, [key(["admin"]), key(["author"])], "refused"],
    ["a key that may run agents", ANN, [key(["run"])], "refused"],
    ["nobody with a key", ANN, [], "refused"],
  ])(
    "would give a shell with its rights to %s: a program with own tools",
    async (_, email, keys, expected) => {
      const keysOf = async () => keys;
      const answer = await userOf({ email, native: true }, { keysOf });
      if (expected === "runs") expect(answer).toEqual({ ok: true, value: undefined });
      else expect(answer).toMatchObject({ failure: { code: "harness_unseparated", status: 403 } });
      expect(await userOf({ email, native: false }, { keysOf })).toMatchObject({ ok: true });
      expect(await userOf({ email, native: true }, { keysOf, allowsUnseparated: true })).toMatchObject({
        ok: true,
      });
    },
  );
});

describe.runIf(isRoot)("a server that is root", () => {
  const root = { changesUser: async () => true };
  beforeEach(() => {
    chmodSync(folder, 0o755);
    mkdirSync(join(folder, "data"), { mode: 0o700 });
  });

  test.each([true, false])(
    "runs a program as the session's owner in their home, also from a data folder of mode 0700 (own tools: %s)",
    async (native) => {
      const answer = await userOf({ native }, root);
      expect(answer).toMatchObject({
        ok: true,
        value: { user: { uid: expect.any(Number) }, home: join(folder, "data", "users", ANN) },
      });
      expect(await userOf({ native, email: "bob@example.com" }, root)).not.toEqual(answer);
    },
  );

  test("says that a login of its own home is not the user's, unless a key is in the environment", async () => {
    mkdirSync(join(folder, "home", ".acme"), { recursive: true });
    writeFileSync(join(folder, "home", ".acme", "login.json"), "{}");
    expect(await userOf({}, root)).toMatchObject({
      failure: { code: "harness_login_apart", nextStep: expect.stringMatching(/ACME_KEY.*AS_SERVER=acme/s) },
    });
    const environment = { HOME: join(folder, "home"), ACME_KEY: "k" };
    expect(await userOf({}, { ...root, environment })).toMatchObject({ ok: true });
  });

  test("runs a program that the operator named as itself, as long as it has no tools of its own", async () => {
    const asServer = ["acme"];
    expect(await userOf({ native: false }, { ...root, asServer })).toEqual({ ok: true, value: undefined });
    expect(await userOf({ native: true }, { ...root, asServer })).toMatchObject({
      value: { user: { uid: expect.any(Number) } },
    });
  });

  test("refuses where another user cannot reach the program's folder", async () => {
    chmodSync(folder, 0o700);
    expect(await userOf({}, root)).toMatchObject({
      failure: { code: "harness_not_separated", details: { path: join(folder, "data", "harness") } },
    });
  });
});
