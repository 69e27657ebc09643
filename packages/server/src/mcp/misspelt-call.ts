/**
 * MCP passes over unknown members of a call. Two kinds are refused, because the call would run with other arguments than were
 * meant: a misspelt `arguments`, and any unknown member of a call without arguments.
 */
import { misspeltField } from "@capstan/core/internal";
import type { Context } from "hono";
import { z } from "zod";
import { readJson } from "../http/read-json.ts";

const KNOWN = ["name", "arguments", "_meta", "task"];
const INVALID_PARAMS = -32602;

const Call = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.literal("tools/call"),
  params: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});

/** The refusal; undefined for everything that is no call. In a batch, calls are left to the protocol's own parser. */
export async function refusedCall(c: Context): Promise<Response | undefined> {
  if (c.req.method !== "POST") return undefined;
  const body = await readJson(c, z.unknown());
  const call = Call.safeParse(body.ok && body.value);
  if (!call.success) return undefined;
  const { id, params } = call.data;
  const beside = params.arguments === undefined && Object.keys(params).find((name) => !KNOWN.includes(name));
  const fault = misspeltField(params, KNOWN) ?? (beside ? `"${beside}" belongs in "arguments"` : undefined);
  if (fault === undefined) return undefined;
  return c.json({ jsonrpc: "2.0", id, error: { code: INVALID_PARAMS, message: `params: ${fault}` } });
}
