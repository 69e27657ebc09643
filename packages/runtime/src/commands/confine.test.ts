import { describe, expect, test } from "vitest";
import { type CommandIsolation, uidFor, uidIn } from "./command-isolation.ts";
import { confine } from "./confine.ts";
import { PackageNetworks } from "./package-network.ts";

const whole: CommandIsolation = {
  changesUser: true,
  privateRoot: true,
  allowsUnseparated: true,
  wrapper: ["unshare", "--"],
  offlineWrapper: ["unshare", "--net", "--"],
  networks: new PackageNetworks({ isRoot: true }),
  namespaceWrapper: ["unshare", "--"],
  notes: [],
};
const command = {
  argv: ["true"],
  cwd: "/",
  env: {},
  network: "none" as const,
  uid: 1,
  readable: [],
  writable: [],
};

describe("a command of an organisation after the first", () => {
  test("runs with a file system and a network of its own, and not where one of them is missing", async () => {
    const inside = { ...whole, organisation: "acme" };
    expect(await confine(command, inside)).toMatchObject({ ok: true });
    for (const missing of [{ privateRoot: false }, { networks: undefined }]) {
      expect(await confine(command, { ...inside, ...missing })).toMatchObject({
        failure: { code: "organisation_not_separated" },
      });
      expect(await confine(command, { ...whole, ...missing })).toMatchObject({ ok: true });
    }
  });

  test("has another user id than the same name elsewhere, whatever the names", () => {
    const email = "ann@example.com";
    const ids = [{}, { organisation: "acme" }, { organisation: "beta" }].map((of) => uidIn(of, email));
    expect(new Set(ids).size).toBe(3);
    expect(uidIn({}, email)).toBe(uidFor(email));
    expect(uidIn({ organisation: "mcp" }, "x")).not.toBe(uidIn({}, "mcp x"));
  });
});
