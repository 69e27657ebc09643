import { expect, test } from "vitest";
import { boundedRights, type RoleRule, roleFrom } from "./roles.ts";

const rules: RoleRule[] = [
  { claim: "groups", value: "staff", role: "run", scopes: ["Mail.Read"] },
  { claim: "groups", value: "chiefs", role: "admin", scopes: [] },
  { claim: "groups", value: "readers", role: null, scopes: ["Files.Read"] },
  { claim: "sub", value: "*", role: "read", scopes: [] },
];

test.each([
  [{ sub: ["1"], groups: ["staff", "chiefs"] }, "admin", ["Mail.Read"]],
  [{ sub: ["1"], groups: ["readers"] }, "read", ["Files.Read"]],
  [{ groups: ["readers"] }, undefined, ["Files.Read"]],
  [{ groups: ["Staff", "staff "] }, undefined, []],
  [{ other: ["staff"] }, undefined, []],
  [{ sub: [] }, undefined, []],
])("the claims %j give %s and %j", (claims, right, scopes) => {
  expect(roleFrom(claims, rules)).toEqual({ right, scopes });
});

test("a claim that is called like a part of every object gives nothing", () => {
  const rule: RoleRule = { claim: "constructor", value: "*", role: "admin", scopes: [] };
  expect(roleFrom({}, [rule]).right).toBeUndefined();
});

test("a key never has more rights than its owner", () => {
  expect(boundedRights(["admin"], "run")).toEqual(["run"]);
  expect(boundedRights(["read"], "admin")).toEqual(["read"]);
  expect(boundedRights(["admin"], undefined)).toEqual([]);
});
