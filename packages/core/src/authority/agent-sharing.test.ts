import { expect, test } from "vitest";
import { type AgentAccess, type AgentRight, agentRights, subjectsOf, UNSHARED } from "./agent-sharing.ts";

const NOBODY = { isOwner: false, isAdmin: false, subjects: ["user:mia@example.com"] };
const shared = (access: AgentAccess, ...rights: AgentRight[]) => ({
  access,
  shares: [{ with: "user:mia@example.com", rights }],
});

test("an agent without sharing settings can be used by everyone and changed by its owner", () => {
  expect(agentRights(UNSHARED, NOBODY)).toEqual(["use"]);
  expect(agentRights(UNSHARED, { ...NOBODY, isOwner: true })).toEqual(["use", "change"]);
});

test.each([
  ["private", ["use", "change", "approve"], []],
  ["shared", [], []],
  ["shared", ["use"], ["use"]],
  ["shared", ["change"], ["change"]],
  ["shared", ["approve"], ["approve"]],
  ["shared", ["use", "approve"], ["use", "approve"]],
  ["all", [], ["use"]],
  ["all", ["approve"], ["use", "approve"]],
] as const)("%s with %j gives exactly %j", (access, rights, may) => {
  expect(agentRights(shared(access, ...rights), NOBODY)).toEqual(may);
  expect(agentRights(shared(access, ...rights), { ...NOBODY, subjects: ["user:tom@example.com"] })).toEqual(
    access === "all" ? ["use"] : [],
  );
});

test("owner and admin use and change a private agent, and answer for others only when they are named", () => {
  for (const who of [{ isOwner: true }, { isAdmin: true }])
    expect(agentRights({ access: "private", shares: [] }, { ...NOBODY, ...who })).toEqual(["use", "change"]);
});

test("a group means whose claims have exactly that value", () => {
  const named = ["group:groups=staff", "group:groups=chiefs", "group:constructor=x", "user:tom@example.com"];
  expect(subjectsOf("mia@example.com", { groups: ["staff"] }, named)).toEqual(["group:groups=staff"]);
  expect(subjectsOf("tom@example.com", {}, named)).toEqual(["user:tom@example.com"]);
  expect(subjectsOf("mia@example.com", { groups: ["chiefs", "Staff"] }, named)).toEqual([
    "group:groups=chiefs",
  ]);
});
