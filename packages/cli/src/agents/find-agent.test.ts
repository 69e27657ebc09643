import type { Agent } from "@capstan/client";
import { expect, test } from "vitest";
import { agentNamed } from "./find-agent.ts";

const agent = (id: string, name: string) => ({ id, name }) as Agent;
const AGENTS = [
  agent("1", "Helper"),
  agent("2", "helper"),
  agent("3", "Mate"),
  agent("4", "Twin"),
  agent("5", "Twin"),
];

test.each([
  ["3", "3"],
  ["Mate", "3"],
  ["mate", "3"],
  ["helper", "2"],
  ["Twin", "conflict"],
  ["HELPER", "conflict"],
  ["nobody", "not_found"],
])("%s means %s", (wanted, meant) => {
  const found = agentNamed(AGENTS, wanted);
  expect(found.ok ? found.value.id : found.failure.code).toBe(meant);
});
