import { describe, expect, test } from "vitest";
import type { Manifest } from "./manifest.ts";
import { sessionManifest } from "./session-manifest.ts";

const manifest = (name: string, scope: string): Manifest => ({
  name,
  type: "cli",
  command: `aech-cli-${name}`,
  description: name,
  required_scopes: [scope],
  actions: [
    { name: "read", description: "Reads", parameters: [] },
    { name: "write", description: "Writes", parameters: [], required_scopes: ["Write"] },
  ],
});

describe("the session's manifest", () => {
  const all = [manifest("b", "Read"), manifest("a", "Read"), manifest("c", "Other")];
  const visible = (granted: string[]) =>
    (JSON.parse(sessionManifest(all, granted)).capabilities as Manifest[]).map(
      ({ name, actions }) => `${name}: ${actions.map((action) => action.name).join(", ")}`,
    );

  test.each([
    [["Read"], ["a: read", "b: read"]],
    [
      ["Read", "Write"],
      ["a: read, write", "b: read, write"],
    ],
    [[], []],
    [["*"], ["a: read, write", "b: read, write", "c: read, write"]],
  ])("with %j granted holds %j", (granted, expected) => {
    expect(visible(granted)).toEqual(expected);
  });

  test("is the same text for the same rights, whatever order they come in", () => {
    expect(sessionManifest(all, ["Read"])).toBe(sessionManifest([...all].reverse(), ["Read"]));
  });
});
