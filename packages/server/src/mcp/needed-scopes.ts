/** Step-up: a call beyond what the person allowed the client is refused before the protocol sees it, with what to ask for. */
import type { Context } from "hono";
import { z } from "zod";
import { allowsTool, EVERY_TOOL, scopesFor } from "../auth/client-scopes.ts";
import { readJson } from "../http/read-json.ts";
import type { McpCaller } from "./mcp-caller.ts";

const Call = z.object({ method: z.literal("tools/call"), params: z.object({ name: z.string() }) });

export interface MissingScopes {
  readonly tool: string;
  readonly scopes: readonly string[];
}

/** Undefined when every call in the request is allowed. The server checks again, for what this cannot read. */
export async function missingScopes(c: Context, caller: McpCaller): Promise<MissingScopes | undefined> {
  if (caller.allowed.includes(EVERY_TOOL) || c.req.method !== "POST") return undefined;
  const body = await readJson(c, z.unknown());
  if (!body.ok) return undefined;
  for (const message of Array.isArray(body.value) ? body.value : [body.value]) {
    const call = Call.safeParse(message);
    if (!call.success) continue;
    const { name } = call.data.params;
    const tool = caller.agent.tools.find((each) => each.name === name);
    if (!allowsTool(caller.allowed, name, tool))
      return { tool: name, scopes: scopesFor(caller.allowed, name, tool) };
  }
  return undefined;
}
