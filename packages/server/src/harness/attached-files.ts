/** Passes a message's files to a program: attached, or at least named in the prompt. */
import { fail, ok, type Result, type SessionFileStore } from "@capstan/core";
import {
  type Attachment,
  baseName,
  type CodingAgentCapabilities,
  type FilePart,
  MAX_ATTACHMENT_BYTES,
} from "@capstan/core/internal";
import type { HarnessRequest } from "@capstan/runtime";

const isImage = ({ mediaType }: FilePart): boolean => mediaType.startsWith("image/");

export interface AttachedFiles {
  readonly attachments: readonly Attachment[];
  /** Text for the prompt about files that the program cannot be given. */
  readonly mentions: readonly string[];
}

/** Paths are session paths: they are read from the session's files, never from the machine. */
export async function attachmentsOf(
  { supportsImageInput, supportsFileAttachments }: CodingAgentCapabilities,
  { files, agent }: HarnessRequest,
  store: SessionFileStore,
): Promise<Result<AttachedFiles>> {
  const attachments: Attachment[] = [];
  const mentions: string[] = [];
  for (const file of files) {
    const takes = isImage(file) ? supportsImageInput : supportsFileAttachments;
    if (!takes || file.source.type === "url") {
      mentions.push(mention(file, agent.spec.folder === undefined));
      continue;
    }
    const read = await readOne(file, store, agent.spec.harness ?? "native");
    if (!read.ok) return read;
    attachments.push(read.value);
  }
  return ok({ attachments, mentions });
}

async function readOne(file: FilePart, store: SessionFileStore, agent: string): Promise<Result<Attachment>> {
  const { source, mediaType: mimeType } = file;
  const name = file.filename ?? (source.type === "session" ? baseName(source.path) : undefined);
  const read = await bytesOf(file, store);
  if (!read.ok) return read;
  const size = Buffer.byteLength(read.value, "base64");
  if (size <= MAX_ATTACHMENT_BYTES) return ok({ data: read.value, mimeType, ...(name && { name }) });
  const why = `it has ${size} bytes, and at most ${MAX_ATTACHMENT_BYTES} can be attached`;
  return fail("coding_agent_attachment_refused", { agent, file: name ?? "without a name", why });
}

async function bytesOf({ source }: FilePart, store: SessionFileStore): Promise<Result<string>> {
  if (source.type === "data") return ok(source.base64);
  if (source.type === "url") return ok("");
  const read = await store.read(source.path);
  return read.ok ? ok(Buffer.from(read.value).toString("base64")) : read;
}

/** What cannot be attached is at least named. */
function mention({ source, filename = "a file" }: FilePart, isInFolder: boolean): string {
  if (source.type === "url") return `[Attached: ${source.url}]`;
  if (source.type === "session" && isInFolder) return `[Attached: .${source.path}]`;
  return `[Attached, but not readable for you: ${source.type === "session" ? source.path : filename}]`;
}
