/** Failures of declaring, registering and composing capabilities. */
import { row } from "./failure.ts";

export const composeFailures = {
  rights_grow: row<{ grows: readonly string[] }>({
    status: 409,
    message: ({ grows }) => `This revision has more rights than the live one: ${grows.join("; ")}.`,
    nextStep: () =>
      "Compare the two, then send the same request with `yes: true` (on the command line, --yes).",
  }),
  agent_beyond_author: row<{ name: string; author: string; beyond: readonly string[] }>({
    status: 403,
    message: ({ name, author, beyond }) =>
      `"${name}" exceeds the rights of ${author}, who saved it: ${beyond.join("; ")}.`,
    nextStep: () =>
      "Ask an admin to restore its revision (`capstan agents restore`), or remove what exceeds them from the agent.",
  }),
  agent_in_use: row<{ name: string; agents: readonly string[] }>({
    status: 409,
    message: ({ name, agents }) => `Agents that delegate to "${name}" would break: ${agents.join(", ")}.`,
    nextStep: () => "Remove it from those agents first, or send `?force=true` to delete it anyway.",
  }),
  capability_id_invalid: row<{ id: string }>({
    status: 422,
    message: ({ id }) => `"${id}" is not a capability id.`,
    nextStep: () => "Use 1 to 50 characters of a-z, 0-9, '_', '.' and '-'.",
  }),
  capability_duplicate: row<{ id: string }>({
    status: 409,
    message: ({ id }) => `The capability "${id}" is already registered.`,
    nextStep: () => "Choose another id, or remove the registered one first.",
  }),
  capability_unknown: row<{ id: string; nearest: readonly string[] }>({
    status: 422,
    message: ({ id }) => `There is no capability "${id}".`,
    nextStep: ({ nearest }) =>
      nearest.length > 0
        ? `Did you mean ${nearest.map((id) => `"${id}"`).join(" or ")}? \`capstan capabilities\` lists all.`
        : "`capstan capabilities` lists what is registered. If an agent refers to a missing one, install it again or remove it from the agent.",
  }),
  capability_coming_soon: row<{ id: string }>({
    status: 422,
    message: ({ id }) => `The capability "${id}" is coming soon and cannot be used yet.`,
    nextStep: () => "Leave it out of the agent until its status is available.",
  }),
  capability_repeated: row<{ id: string }>({
    status: 422,
    message: ({ id }) => `The capability "${id}" is listed twice.`,
    nextStep: () => "List each capability once; the order of the list is its priority.",
  }),
  capability_cycle: row<{ path: readonly string[] }>({
    status: 422,
    message: ({ path }) => `Capabilities require each other in a cycle: ${path.join(" -> ")}.`,
    nextStep: () => "Remove one of these dependencies.",
  }),
  capability_version_mismatch: row<{
    id: string;
    wanted: string;
    registered: string;
    kept?: readonly string[];
  }>({
    status: 422,
    message: ({ id, wanted, registered, kept = [] }) =>
      `The agent pins "${id}" to ${wanted}, but version ${registered} is registered${kept.length > 0 ? `, and ${kept.join(", ")} kept` : ""}.`,
    nextStep: ({ registered }) => `Install the pinned version, or change the pin to ${registered}.`,
  }),
  schema_foreign: row<{ tool: string; capability: string; fault: string }>({
    status: 422,
    message: ({ tool, capability, fault }) => `The schema of "${tool}" in "${capability}" ${fault}.`,
    nextStep: () =>
      'Install zod 4 (`npm install zod@4`), import `z` from it (not from "zod/v3"), and declare the tool with `defineTool`.',
  }),
  capability_config_invalid: row<{ id: string; where: string }>({
    status: 422,
    message: ({ id, where }) => `The config of "${id}" is not valid: ${where}`,
    nextStep: ({ id }) => `GET /v1/capabilities/${id} shows the config schema.`,
  }),
  capability_in_use: row<{ id: string; agents: readonly string[] }>({
    status: 409,
    message: ({ id, agents }) => `"${id}" is used by ${agents.join(", ")}.`,
    nextStep: () =>
      "Remove it from these agents first, or force it: `?force=true` in a request, `--force` in a command.",
  }),
  capability_breaks: row<{ id: string; agents: readonly { name: string; why: string }[] }>({
    status: 409,
    message: ({ id, agents }) =>
      `With this version of "${id}", agents would break: ${agents.map(({ name, why }) => `${name} (${why})`).join("; ")}`,
    nextStep: () =>
      "Change those agents first, or force it: `?force=true` in a request, `--force` in a command.",
  }),
  capability_older: row<{ id: string; version: string; registered: string }>({
    status: 409,
    message: ({ id, version, registered }) =>
      `Version ${version} of "${id}" is older than ${registered}, which is registered.`,
    nextStep: () =>
      "Give it a newer version, or force it: `?force=true` in a request, `--force` in a command.",
  }),
  tool_conflict: row<{ tool: string; first: string; second: string }>({
    status: 422,
    message: ({ tool, first, second }) => `"${first}" and "${second}" both define a tool named "${tool}".`,
    nextStep: ({ second }) =>
      `Give one a prefix, such as { "id": "${second}", "prefix": "${second.slice(0, 8)}_" }.`,
  }),
  tool_name_invalid: row<{ name: string; capability: string }>({
    status: 422,
    message: ({ name, capability }) => `"${name}" of "${capability}" is not a valid tool name.`,
    nextStep: () =>
      "Use 1 to 64 characters of a-z, A-Z, 0-9, '_' and '-'; shorten the prefix if there is one.",
  }),
};
