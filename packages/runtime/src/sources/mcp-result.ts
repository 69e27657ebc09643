/** Converts the result of an MCP tool: structured content, otherwise text, otherwise parts; images become session files. */

import {
  fail,
  type JsonValue,
  ok,
  type Result,
  type SessionFileStore,
  type ToolContext,
} from "@capstan/core";
import type { CallToolResult } from "@modelcontextprotocol/client";

type Block = CallToolResult["content"][number];

const ERROR_CHARS = 4_000;
const ENDINGS: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/svg+xml": "svg",
  "audio/wav": "wav",
  "audio/mpeg": "mp3",
  "application/pdf": "pdf",
  "text/plain": "txt",
};

export async function mcpResult(
  tool: string,
  { content, structuredContent, isError }: CallToolResult,
  { fileStore, idempotencyKey }: Pick<ToolContext, "fileStore" | "idempotencyKey">,
): Promise<Result<JsonValue>> {
  const texts = content.filter((block) => block.type === "text").map(({ text }) => text);
  if (isError) {
    return fail("tool_failed", { message: texts.join("\n").slice(0, ERROR_CHARS) || `"${tool}" failed.` });
  }
  if (structuredContent !== undefined) return ok(structuredContent as JsonValue);
  if (texts.length === content.length) return ok(texts.join("\n"));
  const folder = `/mcp/${tool}/${idempotencyKey.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(-40)}`;
  const parts: JsonValue[] = [];
  for (const [at, block] of content.entries()) parts.push(await part(block, `${folder}-${at}`, fileStore));
  return ok({ content: parts });
}

async function part(block: Block, path: string, fileStore: SessionFileStore | undefined): Promise<JsonValue> {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "image" || block.type === "audio") {
    return { type: block.type, ...(await keepData(block.data, block.mimeType, path, fileStore)) };
  }
  if (block.type === "resource_link") {
    const { uri, name, description } = block;
    return { type: "resource_link", uri, name, ...(description !== undefined && { description }) };
  }
  const { uri, mimeType = "application/octet-stream" } = block.resource;
  if ("text" in block.resource) return { type: "resource", uri, text: block.resource.text };
  return { type: "resource", uri, ...(await keepData(block.resource.blob, mimeType, path, fileStore)) };
}

/** Bytes are of no use to a model as base64; in the session's files every other tool can use them. */
async function keepData(
  base64: string,
  mimeType: string,
  path: string,
  fileStore: SessionFileStore | undefined,
) {
  const bytes = Buffer.from(base64, "base64");
  const about = { mime_type: mimeType, size_bytes: bytes.length };
  if (!fileStore) return { ...about, note: "Not saved: the call has no session." };
  const file = `${path}.${ENDINGS[mimeType] ?? "bin"}`;
  const written = await fileStore.write(file, bytes);
  return written.ok ? { ...about, path: file } : { ...about, note: written.failure.message };
}
