/** Encodes a 2025 client's features in its session id; see `url-elicitation.ts`. */
import type { Context } from "hono";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { readJson } from "../http/read-json.ts";

const HEADER = "mcp-session-id";
const PREFIX = "opens-links.";

const Initialize = z.object({
  method: z.literal("initialize"),
  params: z.object({
    capabilities: z.object({ elicitation: z.object({ url: z.object({}).loose() }) }),
  }),
});

export const opensLinks = (c: Context): boolean => c.req.header(HEADER)?.startsWith(PREFIX) ?? false;

/** The answer to a client that begins and can open links, with the id that says so. */
export async function withLinkSession(c: Context, answer: Response): Promise<Response> {
  if (c.req.method !== "POST" || !answer.ok || answer.headers.has(HEADER)) return answer;
  const body = await readJson(c, Initialize);
  if (!body.ok) return answer;
  const headers = new Headers(answer.headers);
  headers.set(HEADER, PREFIX + uuidv7());
  return new Response(answer.body, { status: answer.status, headers });
}
