/**
 * What applying files would change on a server, agent by agent, in an order that works: agents that others
 * list come first. An agent is found by its id if the server knows it, otherwise by its name.
 */
import type { Agent } from "@capstan/client";
import {
  type AgentFields,
  type AgentFile,
  agentDifferences,
  agentFields,
  agentsListedBy,
  type FieldDifference,
  servedFields,
} from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { type FoundAgent, located } from "./read-agent-files.ts";

export interface Change {
  readonly action: "create" | "update" | "none";
  readonly path: string;
  readonly file: AgentFile;
  readonly served: Agent | undefined;
  /** With `agent.new:<name>` for agents that do not exist yet. */
  readonly fields: AgentFields;
  readonly differences: readonly FieldDifference[];
}

const NEW = "new:";

/** The part that a server can validate before the listed agents exist. */
export const withoutNewAgents = ({ fields, ...change }: Change): Change => ({
  ...change,
  fields: {
    ...fields,
    capabilities: fields.capabilities.filter((entry) => !JSON.stringify(entry).includes(`"agent.${NEW}`)),
  },
});

export function applyPlan(found: readonly FoundAgent[], served: readonly Agent[]): Result<Change[]> {
  const ordered = inOrder(found);
  if (!ordered.ok) return ordered;
  const coming = new Set(found.map(({ file }) => file.name));
  const idOf = (name: string): Result<string> => {
    const known = only(served, name);
    if (!known.ok || known.value) return known.ok ? ok(known.value?.id ?? "") : known;
    return coming.has(name) ? ok(`${NEW}${name}`) : fail("not_found", { what: "agent", id: name });
  };
  const changes: Change[] = [];
  for (const { path, file } of ordered.value) {
    const match = matching(served, file);
    if (!match.ok) return located(path, match);
    const fields = agentFields(file, idOf);
    if (!fields.ok) return located(path, fields);
    const before = match.value && servedFields(match.value);
    const differences = agentDifferences(before, fields.value);
    const action = !before ? "create" : differences.length > 0 ? "update" : "none";
    changes.push({ action, path, file, served: match.value, fields: fields.value, differences });
  }
  return ok(changes);
}

function matching(served: readonly Agent[], { id, name }: AgentFile): Result<Agent | undefined> {
  const byId = id === undefined ? undefined : served.find((agent) => agent.id === id);
  return byId ? ok(byId) : only(served, name);
}

function only(served: readonly Agent[], name: string): Result<Agent | undefined> {
  const same = served.filter((agent) => agent.name === name);
  if (same.length < 2) return ok(same[0]);
  return fail("conflict", {
    message: `The server has ${same.length} agents named "${name}": ${same.map(({ id }) => id).join(", ")}.`,
    nextStep: "Put the `id` of the right one into its file, or rename the others.",
  });
}

function inOrder(found: readonly FoundAgent[]): Result<FoundAgent[]> {
  const byName = new Map(found.map((one) => [one.file.name, one]));
  const done = new Set<FoundAgent>();
  const visit = (one: FoundAgent, above: readonly string[]): string[] | undefined => {
    const { name } = one.file;
    if (above.includes(name)) return [...above, name];
    if (done.has(one)) return undefined;
    for (const listed of agentsListedBy(one.file)) {
      const next = byName.get(listed);
      const circle = next && visit(next, [...above, name]);
      if (circle) return circle;
    }
    done.add(one);
    return undefined;
  };
  for (const one of found) {
    const circle = visit(one, []);
    if (!circle) continue;
    const where = `the agents list each other in a cycle: ${circle.join(" -> ")}`;
    return located(one.path, fail("agent_file_invalid", { where }));
  }
  return ok([...done]);
}
