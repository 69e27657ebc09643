/**
 * Cursor's CLI: a database per session. As others describe it; never seen from a run, because it needs an account.
 *
 * `meta` has one row, JSON in hexadecimal digits, which names a root. The root is a protocol buffer that lists the messages'
 * ids in order (field 1) and the folder (field 9); each message is JSON of its own.
 */
import { fileURLToPath } from "node:url";
import type { CliMessage, CliSessionStore, SessionQuery } from "@capstan/core/internal";
import { z } from "zod";
import {
  asObject,
  asText,
  contentText,
  type JsonObject,
  listOf,
  maybeText,
  parseObject,
} from "../lines/json-line.ts";

const ID_BYTES = 32;
const MESSAGE = 1;
const FOLDER = 9;

const meta = z.object({
  agentId: z.string(),
  latestRootBlobId: z.string(),
  name: maybeText,
  lastUsedModel: maybeText,
});
const results = listOf(z.object({ result: z.unknown() }));

export const cursorSessions: CliSessionStore = {
  kind: "database",
  pattern: ".cursor/chats/*/*/store.db",
  sessions: (query) => {
    const { agentId: id, name: title, lastUsedModel: model, latestRootBlobId } = metaOf(query);
    if (latestRootBlobId === "") return []; // an empty conversation
    return [{ id, title, model, cwd: folderOf(fieldsOf(blobOf(query, latestRootBlobId))) }];
  },
  messages: (query, id) => {
    const { agentId, latestRootBlobId } = metaOf(query);
    if (agentId !== id || latestRootBlobId === "") return undefined;
    return fieldsOf(blobOf(query, latestRootBlobId))
      .filter(({ field, bytes }) => field === MESSAGE && bytes.length === ID_BYTES)
      .flatMap(({ bytes }) => messageOf(parseObject(blobOf(query, bytes.toString("hex")).toString("utf8"))));
  },
};

function metaOf(query: SessionQuery): z.output<typeof meta> {
  const [row] = query("select value from meta where key = '0'");
  const parsed = meta.safeParse(parseObject(Buffer.from(asText(row?.value) ?? "", "hex").toString("utf8")));
  if (parsed.success) return parsed.data;
  throw new Error("its description of the session has another form");
}

function blobOf(query: SessionQuery, id: string): Buffer {
  const [row] = query("select data from blobs where id = ?", id);
  if (row?.data instanceof Uint8Array) return Buffer.from(row.data);
  throw new Error("a part of the session is missing");
}

function messageOf(message: JsonObject | undefined): CliMessage[] {
  const content = message?.content;
  const said = contentText(Array.isArray(content) ? content.filter(isSaid) : content);
  const role = message?.role;
  if (role === "tool") {
    return results.parse(content).map(({ result }) => ({ role, text: contentText(result) }));
  }
  if (role === "user")
    return [{ role, text: /<user_query>\s*([\s\S]*?)\s*<\/user_query>/.exec(said)?.[1] ?? said }];
  return (role === "assistant" || role === "system") && said !== "" ? [{ role, text: said }] : [];
}

const isSaid = (block: unknown) => asObject(block)?.type === "text";

function folderOf(fields: readonly Field[]): string | undefined {
  const folder = fields.find(({ field }) => field === FOLDER)?.bytes.toString("utf8") ?? "";
  if (folder.startsWith("file://")) return fileURLToPath(folder);
  return folder.startsWith("/") ? folder : undefined;
}

interface Field {
  readonly field: number;
  readonly bytes: Buffer;
}

/** The fields of a protocol buffer that hold bytes; others are passed over. */
function fieldsOf(buffer: Buffer): Field[] {
  const fields: Field[] = [];
  let at = 0;
  while (at < buffer.length) {
    const tag = numberAt(buffer, at);
    const kind = tag.value % 8;
    if (kind === 2) {
      const size = numberAt(buffer, tag.end);
      at = size.end + size.value;
      fields.push({ field: Math.floor(tag.value / 8), bytes: buffer.subarray(size.end, at) });
    } else at = endOf(buffer, kind, tag.end);
  }
  return fields;
}

function endOf(buffer: Buffer, kind: number, at: number): number {
  if (kind === 0) return numberAt(buffer, at).end;
  if (kind === 1) return at + 8;
  if (kind === 5) return at + 4;
  throw new Error("a part of the session has another form");
}

/** Seven bits per byte, lowest first; the eighth means that more follow. */
function numberAt(buffer: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  let factor = 1;
  for (let at = start; at < buffer.length; at += 1) {
    const byte = buffer.readUInt8(at);
    value += (byte % 128) * factor;
    if (byte < 128) return { value, end: at + 1 };
    factor *= 128;
  }
  throw new Error("a part of the session breaks off");
}
