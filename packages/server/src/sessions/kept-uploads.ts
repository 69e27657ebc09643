/**
 * Attachments the model cannot read become session files when the agent has file tools: the model gets their
 * paths. Sending the same message again writes the same files.
 */
import { ok, type Result } from "@capstan/core";
import type { FilePart, UserPart } from "@capstan/core/internal";
import type { Composer, SessionRecord } from "@capstan/runtime";
import type { ServerModels } from "../models/models.ts";
import type { SessionFiles } from "./session-files.ts";

const TEXT = /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|csv)$)/;
const ENDINGS: Readonly<Record<string, string>> = {
  "application/zip": "zip",
  "application/gzip": "gz",
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
  "audio/mpeg": "mp3",
  "video/mp4": "mp4",
};

export interface UploadParts {
  readonly composer: Composer;
  readonly models: ServerModels;
  readonly files: SessionFiles;
}

export async function keptUploads(
  services: UploadParts,
  session: Pick<SessionRecord, "id" | "agentId" | "owner">,
  messageId: string,
  content: readonly UserPart[],
): Promise<Result<UserPart[]>> {
  if (session.agentId === null || !content.some(isUpload)) return ok([...content]);
  const agent = await services.composer.composeFor(session.agentId, session.owner);
  if (!agent.ok || !agent.value.tools.some(({ tool }) => tool.readsFiles)) return ok([...content]);
  const model = await services.models.resolve(agent.value.spec.model);
  const inputs: Partial<Record<string, boolean>> = model.ok ? { ...model.value.inputs } : {};
  const files = services.files(session.id);
  const kept: UserPart[] = [];
  for (const [at, part] of content.entries()) {
    if (!isUpload(part) || inputs[kindOf(part.mediaType)]) {
      kept.push(part);
      continue;
    }
    const path = `/uploads/${safe(messageId).slice(-12)}-${at}/${nameOf(part)}`;
    const bytes = Buffer.from(part.source.base64, "base64");
    const written = await files.write(path, bytes);
    if (!written.ok) return written;
    const { mediaType } = part;
    const text = `[The attached file (${mediaType}, ${bytes.length} bytes) is at ${path} in the session's files.]`;
    kept.push({ type: "text", text, attachment: { ...part, source: { type: "session", path } } });
  }
  return ok(kept);
}

type Upload = FilePart & { readonly source: { readonly type: "data"; readonly base64: string } };

const isUpload = (part: UserPart): part is Upload =>
  part.type === "file" && part.source.type === "data" && !TEXT.test(part.mediaType);

function kindOf(mediaType: string): string {
  return mediaType === "application/pdf" ? "pdf" : mediaType.slice(0, mediaType.indexOf("/"));
}

const safe = (text: string): string => text.replaceAll(/[^A-Za-z0-9._-]/g, "_");

const nameOf = ({ filename, mediaType }: FilePart): string =>
  filename === undefined ? `upload.${ENDINGS[mediaType] ?? "bin"}` : safe(filename).slice(-100) || "upload";
