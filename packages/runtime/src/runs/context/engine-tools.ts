/**
 * Tools of a turn rather than of the agent: those that the client sent, and the one that changes the shared state.
 * They are added to the composed agent, so that the gate decides on them as on any other tool.
 */
import {
  type AnyTool,
  defineTool,
  fail,
  type JsonValue,
  ok,
  type Result,
  type RuntimeAgent,
  type RuntimeTool,
} from "@capstan/core";
import { applyPatch, type JsonPatchOperation } from "@capstan/core/internal";
import { z } from "zod";
import { foreignSchema } from "../../sources/json-schema.ts";
import type { ClientTool } from "../contract/run-types.ts";

const CLIENT = "client"; // the capability that a client's tools count as
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const SESSION_STATE = "session_state";
export const CONVERSATION = "conversation"; // the tool that reads what a summary has replaced
export const TOOL_SEARCH = "tool_search";
const RUN_TOOLS = new Set([SESSION_STATE, CONVERSATION, TOOL_SEARCH]);
export const isOfTheTurn = (capabilityId: string): boolean =>
  capabilityId === CLIENT || RUN_TOOLS.has(capabilityId);
const CLIENT_TOOL_TIMEOUT_MS = 1000; // unused: a client's tool does not run here

/** The agent with more tools. A client's tool with a name that is in use is refused; one of ours gives way to the agent's own. */
export function withTools(agent: RuntimeAgent, more: readonly RuntimeTool[]): Result<RuntimeAgent> {
  if (more.length === 0) return ok(agent);
  const owners = new Map(
    [...agent.tools, ...agent.hidden].map(({ name, capabilityId }) => [name, capabilityId]),
  );
  const added: RuntimeTool[] = [];
  for (const tool of more) {
    const owner = owners.get(tool.name);
    if (owner === CLIENT && tool.capabilityId === CLIENT)
      return fail("client_tool_invalid", { name: tool.name, where: "it is sent twice" });
    if (owner !== undefined && tool.capabilityId === CLIENT)
      return fail("client_tool_conflict", { tool: tool.name, owner });
    if (owner === undefined) added.push(tool);
    owners.set(tool.name, tool.capabilityId);
  }
  return ok({ ...agent, tools: [...agent.tools, ...added] });
}

export function clientTools(tools: readonly ClientTool[]): Result<RuntimeTool[]> {
  const made: RuntimeTool[] = [];
  for (const { name, description, parameters } of tools) {
    if (!TOOL_NAME.test(name)) {
      return fail("client_tool_invalid", { name, where: "a name has 1 to 64 letters, digits, '_' and '-'" });
    }
    const input = foreignSchema(parameters ?? { type: "object" });
    if (!input.ok) return fail("client_tool_invalid", { name, where: input.failure.message });
    const tool: AnyTool = {
      name,
      description,
      input: input.value,
      policy: "client",
      writes: "internal", // it runs in the user's own application
      scopes: [],
      timeoutMs: CLIENT_TOOL_TIMEOUT_MS,
      idempotent: true,
      requiresContext: false,
      run: async () => fail("tool_failed", { message: "A client's tool does not run on the server." }),
    };
    made.push(runtimeTool(tool, CLIENT));
  }
  return ok(made);
}

const operation: z.ZodType<JsonPatchOperation> = z.union([
  z.object({ op: z.enum(["add", "replace", "test"]), path: z.string(), value: z.json() }),
  z.object({ op: z.literal("remove"), path: z.string() }),
  z.object({ op: z.enum(["move", "copy"]), from: z.string(), path: z.string() }),
]) as z.ZodType<JsonPatchOperation>;

/** Declared once: each turn has a tool of its own, and their schema is the same. */
const PATCH = z.object({ patch: z.array(operation).min(1).max(100) });

/** Changes the session's shared state; the change reaches every client as a STATE_DELTA. */
export function stateTool(state: () => JsonValue): RuntimeTool {
  const tool = defineTool({
    name: "update_state",
    description:
      "Change the state shared with the user interface by a JSON Patch (RFC 6902). Only what must change; paths start with /.",
    input: PATCH,
    idempotent: true,
    pure: true,
    writes: "internal",
    events: ({ patch }) => [{ type: "STATE_DELTA", delta: patch }],
    run: ({ patch }) => {
      const patched = applyPatch(state(), patch);
      return patched.ok ? ok({ state: patched.value }) : fail("tool_failed", { message: patched.where });
    },
  });
  return runtimeTool(tool, SESSION_STATE);
}

/** For a program that takes no tools: those that a run adds by itself are left out, so that only what somebody asked for is refused. */
export const withoutRunTools = (agent: RuntimeAgent): RuntimeAgent => ({
  ...agent,
  tools: agent.tools.filter(({ capabilityId }) => !RUN_TOOLS.has(capabilityId)),
});

export const runtimeTool = (tool: AnyTool, capabilityId: string): RuntimeTool => ({
  name: tool.name,
  capabilityId,
  tool,
  policy: tool.policy,
  scopes: tool.scopes,
  connections: [],
  config: {},
});
