/** What a file is shown as, by its name and its content. */
import { imageType } from "../markdown/image-type.ts";

export type FileKind = "image" | "pdf" | "csv" | "json" | "markdown" | "text" | "binary";

const BY_ENDING: Record<string, FileKind> = {
  csv: "csv",
  tsv: "csv",
  json: "json",
  md: "markdown",
  markdown: "markdown",
  pdf: "pdf",
};

/** `text` is undefined for bytes that are not text. */
export function fileKind(path: string, text: string | undefined): FileKind {
  if (imageType(path)) return "image";
  const kind = BY_ENDING[path.split(".").at(-1)?.toLowerCase() ?? ""];
  if (kind === "pdf") return kind;
  if (text === undefined) return "binary";
  if (kind === "json" && !isJson(text)) return "text";
  return kind ?? "text";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
