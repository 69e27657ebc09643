/** Refuses attachments that cannot be delivered or do not have their declared type, before anything starts. */
import { fail } from "@capstan/core";
import { type Attachment, capabilityRefused, isImage, runError } from "@capstan/core/internal";
import { type AttachedTo, attachedFile } from "./attached-file.ts";
import { contentFault } from "./attached-type.ts";
import { imageFault } from "./image-bytes.ts";
import { typeByName } from "./private-folder.ts";

export function checkAttachments(run: AttachedTo, attachments: readonly Attachment[] = []): void {
  for (const attachment of attachments) checkOne(run, attachment);
}

function checkOne(run: AttachedTo, attachment: Attachment): void {
  const file = attachment.name ?? ("path" in attachment ? attachment.path : "without a name");
  const bytes = bytesOf(run, attachment);
  const type = attachment.mimeType ?? ("path" in attachment ? typeByName(attachment.path) : undefined);
  const fault =
    typeof bytes === "string" ? bytes : isImage(attachment) ? undefined : contentFault(bytes, type);
  if (fault !== undefined)
    throw runError(fail("coding_agent_attachment_refused", { agent: run.agent, file, why: fault }).failure);
  const broken = isImage(attachment) && typeof bytes !== "string" && imageFault(bytes, type ?? "");
  if (broken)
    throw runError(capabilityRefused(run.agent, "imageInput", `The image ${file} ${broken}`).failure);
}

/** Or why there are none. */
function bytesOf(run: AttachedTo, attachment: Attachment): Buffer | string {
  if ("data" in attachment) return Buffer.from(attachment.data, "base64");
  const found = attachedFile(run, attachment.path);
  return typeof found === "string" ? found : found.bytes;
}
