/** Whether a file other than an image has the type that was declared. */
import { textOf } from "../files/text-of-bytes.ts";
import { imageKind } from "./image-bytes.ts";

const TEXT_TYPE = /^text\/|^application\/(json|xml|yaml|toml|javascript|typescript)$|\+(json|xml)$/i;

/** What is wrong, in words for people; absent: nothing. Without a type the bytes decide. */
export function contentFault(bytes: Buffer, mimeType: string | undefined): string | undefined {
  const image = imageKind(bytes);
  if (image !== undefined) return `it is ${image}, which neither its type nor its name says`;
  if (mimeType === "application/pdf" && !bytes.subarray(0, 1024).includes("%PDF-")) return "it is no PDF";
  if (mimeType !== undefined && TEXT_TYPE.test(mimeType) && textOf(bytes) === undefined)
    return `it is declared as ${mimeType} and is no text in UTF-8`;
  return undefined;
}
