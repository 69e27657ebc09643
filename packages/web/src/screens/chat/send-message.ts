/** Sending: attachments first, into the session's files, then the message that names them. */
import type { MessageAccepted, MessageCreate, MessagePart } from "@capstan/client";
import { ok, type Result } from "@capstan/core";
import type { UserMessage } from "../../conversation/entries.ts";
import { safeName } from "../../files/safe-name.ts";
import { api } from "../../server/api.ts";

export interface Outgoing {
  readonly text: string;
  readonly files: readonly File[];
  readonly reasoning?: MessageCreate["reasoning"] | undefined;
  /** In place of the agent's. */
  readonly model?: string | undefined;
}

const FOLDER = "/uploads";

export async function sendMessage(sessionId: string, outgoing: Outgoing): Promise<Result<MessageAccepted>> {
  const uploaded = await uploadAll(sessionId, outgoing.files);
  if (!uploaded.ok) return uploaded;
  const { text, reasoning, model } = outgoing;
  const content = uploaded.value.length === 0 ? text : [...textPart(text), ...uploaded.value];
  return api.sessions.send(sessionId, { content, ...(reasoning && { reasoning }), ...(model && { model }) });
}

/** A message that was sent before, with the same attachments. */
export function sendAgain(
  sessionId: string,
  { text, media }: UserMessage,
  model?: string,
): Promise<Result<MessageAccepted>> {
  const options = model === undefined ? {} : { model };
  if (media.length === 0) return api.sessions.send(sessionId, { content: text, ...options });
  const parts = media.map(
    ({ mimeType, name, path, url, data }): MessagePart => ({
      type: mimeType.startsWith("image/") ? "image" : "file",
      mime_type: mimeType,
      ...(name !== undefined && { name }),
      ...(path !== undefined && { path }),
      ...(url !== undefined && { url }),
      ...(data !== undefined && { data }),
    }),
  );
  return api.sessions.send(sessionId, { content: [...textPart(text), ...parts], ...options });
}

async function uploadAll(sessionId: string, files: readonly File[]): Promise<Result<MessagePart[]>> {
  const parts: MessagePart[] = [];
  for (const file of files) {
    const path = `${FOLDER}/${safeName(file.name)}`;
    const written = await api.files.write(sessionId, path, file);
    if (!written.ok) return written;
    const type = file.type.startsWith("image/") ? "image" : "file";
    parts.push({ type, mime_type: file.type || "application/octet-stream", path, name: file.name });
  }
  return ok(parts);
}

const textPart = (text: string): MessagePart[] => (text === "" ? [] : [{ type: "text", text }]);
