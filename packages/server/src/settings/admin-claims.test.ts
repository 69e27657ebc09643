import { describe, expect, test } from "vitest";
import { adminClaims } from "./admin-claims.ts";

describe("claims of admins", () => {
  test.each([
    ["groups=chiefs", [["groups", "chiefs"]]],
    [
      " groups=chiefs , email=ann@example.com,",
      [
        ["groups", "chiefs"],
        ["email", "ann@example.com"],
      ],
    ],
    ["key=YWJj==", [["key", "YWJj=="]]],
    ["https://corp.example/groups=staff", [["https://corp.example/groups", "staff"]]],
    ['["memberOf=CN=Admins,OU=Groups,DC=example"]', [["memberOf", "CN=Admins,OU=Groups,DC=example"]]],
  ])("%s", (text, expected) => {
    expect(adminClaims.parse(text).map(({ claim, value }) => [claim, value])).toEqual(expected);
  });

  test.each([
    [
      "a directory's group, whose parts would be claims of their own",
      "memberOf=CN=Admins,OU=Groups,DC=example",
    ],
    ["no value", "groups="],
    ["no claim", "=chiefs"],
    ["JSON that is no list", '["groups=a"'],
    ["JSON of other things", "[1]"],
  ])("refused: %s", (_what, text) => {
    expect(adminClaims.safeParse(text).success).toBe(false);
  });
});
