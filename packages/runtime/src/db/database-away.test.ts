import { expect, test } from "vitest";
import { isDatabaseAway } from "./database-away.ts";

const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET", syscall: "read" });
const refused = Object.assign(new Error("connect ECONNREFUSED"), {
  code: "ECONNREFUSED",
  syscall: "connect",
});

test.each<[string, unknown, boolean]>([
  ["a cut connection", reset, true],
  ["a broken connection inside another error", new Error("Failed query", { cause: reset }), true],
  ["a server that stops", Object.assign(new Error("stopping"), { code: "57P01" }), true],
  ["a statement on a closed connection", new Error("Client was closed and is not queryable"), true],
  ["a driver that lost its server", new Error("Connection terminated unexpectedly"), true],
  ["a name whose every address refuses", new AggregateError([refused, refused]), true],
  ["a value that cannot be stored", Object.assign(new Error("NUL"), { code: "22021" }), false],
  ["a full disk", Object.assign(new Error("full"), { code: "53100" }), false],
  ["a bug of ours", new TypeError("x is undefined"), false],
  ["nothing", undefined, false],
])("%s: %s is %s", (_what, error, away) => {
  expect(isDatabaseAway(error)).toBe(away);
});

test("an error that is its own cause ends the search", () => {
  const loop = new Error("loop") as Error & { cause: unknown };
  loop.cause = loop;
  expect(isDatabaseAway(loop)).toBe(false);
});
