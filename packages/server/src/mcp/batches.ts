/**
 * JSON-RPC batches. MCP 2025-03-26, the default version of clients that name none, requires support for them; later
 * versions have no batches, so theirs are refused. Two requests with the same id are also refused, because only one
 * would be answered.
 */
import type { Context } from "hono";
import { z } from "zod";
import { readJson } from "../http/read-json.ts";

const WITH_BATCHES = "2025-03-26";
const INVALID_REQUEST = -32600;

/** The refusal; undefined for one message, and for a list where the version has lists. */
export async function refusedBatch(c: Context): Promise<Response | undefined> {
  if (c.req.method !== "POST") return undefined;
  const body = await readJson(c, z.array(z.unknown()));
  if (!body.ok) return undefined; // one message, or something that the protocol's own parser refuses
  const version = c.req.header("mcp-protocol-version") ?? WITH_BATCHES;
  if (version > WITH_BATCHES)
    return refuse(c, `MCP ${version} has no batches: send each message in a request of its own.`);
  return isRepeated(body.value)
    ? refuse(c, "Two requests of this batch have the same id: give each its own.")
    : undefined;
}

const Request = z.object({ id: z.union([z.string(), z.number()]), method: z.string() });

function isRepeated(messages: readonly unknown[]): boolean {
  const ids = messages.flatMap((message) => Request.safeParse(message).data?.id ?? []);
  return new Set(ids).size < ids.length;
}

const refuse = (c: Context, message: string): Response =>
  c.json({ jsonrpc: "2.0", id: null, error: { code: INVALID_REQUEST, message } }, 400);
