import { expect, test } from "vitest";
import { lastWords, serverLabel } from "./last-words.ts";

test("what npm prints about itself does not hide why a server ended", () => {
  const stderr =
    "Error: connect ECONNREFUSED 127.0.0.1:6379\nnpm notice\nnpm notice New major version of npm available!\nnpm notice\n";
  expect(lastWords(stderr)).toBe("Error: connect ECONNREFUSED 127.0.0.1:6379");
});

test("it is shown when there is nothing else", () => {
  expect(lastWords("npm notice New major version of npm available!\n")).toContain("npm notice");
});

test.each([
  ["npx", ["-y", "@acme/server@1.2.0", "redis://x"], "npx @acme/server@1.2.0"],
  ["uvx", ["mcp-server-time"], "uvx mcp-server-time"],
  ["node", ["server.js"], "node"],
])("%s %j is called %s", (command, args, label) => {
  expect(serverLabel(command, args)).toBe(label);
});
