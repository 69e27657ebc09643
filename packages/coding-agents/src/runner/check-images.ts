/** Refuses images that are not what they are called, before anything starts. A file that is missing or too large fails the run itself. */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { type Attachment, capabilityRefused, isImage, runError } from "@capstan/core/internal";
import { imageFault } from "./image-bytes.ts";
import { MAX_ATTACHMENT_BYTES, typeByName } from "./private-folder.ts";

export function checkImages(agent: string, cwd: string, attachments: readonly Attachment[] = []): void {
  for (const attachment of attachments.filter(isImage)) {
    const bytes = bytesOf(attachment, cwd);
    const type = attachment.mimeType ?? ("path" in attachment ? typeByName(attachment.path) : "");
    const fault = bytes && imageFault(bytes, type);
    if (fault === undefined) continue;
    const name = attachment.name ?? ("path" in attachment ? attachment.path : "without a name");
    throw runError(capabilityRefused(agent, "imageInput", `The image ${name} ${fault}`).failure);
  }
}

function bytesOf(attachment: Attachment, cwd: string): Buffer | undefined {
  if ("data" in attachment) return Buffer.from(attachment.data, "base64");
  const path = resolve(cwd, attachment.path);
  const info = statSync(path, { throwIfNoEntry: false });
  return info?.isFile() && info.size <= MAX_ATTACHMENT_BYTES ? readFileSync(path) : undefined;
}
