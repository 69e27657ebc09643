import fc from "fast-check";
import { expect, test } from "vitest";
import { returnPath } from "./return-path.ts";

test.each(["/chat/1?x=y#z", "/", "/consent?client_id=a&redirect_uri=https%3A%2F%2Fb.example"])(
  "a browser comes back to %s",
  (path) => expect(returnPath(path)).toBe(path),
);

test.each([
  undefined,
  "",
  "https://evil.example",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "/.//evil.example",
  "/x/..//evil.example",
  "javascript:alert(1)",
  "evil.example",
  "/login?return_to=/login",
  "/logout",
  `/${"x".repeat(3000)}`,
])("an address %j that is not a page of ours leads home", (path) => expect(returnPath(path)).toBe("/"));

test("whatever is asked for, a browser stays here", () => {
  const odd = fc.stringMatching(/^\/[\\/.\t\n\r@:%?#a-z0-9]{0,12}$/);
  fc.assert(
    fc.property(odd, (asked) => {
      expect(new URL(returnPath(asked), "https://capstan.example").origin).toBe("https://capstan.example");
    }),
    { numRuns: 5000 },
  );
});
