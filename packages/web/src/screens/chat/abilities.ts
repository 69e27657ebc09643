/** The parts of the agent's capabilities document that the chat needs. Absent features are not offered. */
export type UploadKind = "image" | "audio" | "video" | "pdf" | "file";

export interface Abilities {
  readonly reasoning: boolean;
  readonly feedback: boolean;
  readonly approveWithEdits: boolean;
  readonly subAgents: readonly { readonly name: string; readonly description?: string }[];
  readonly uploads: readonly UploadKind[];
}

const UPLOADS: readonly UploadKind[] = ["image", "audio", "video", "pdf", "file"];

/** What a file dialog offers for each kind. */
export const ACCEPTS: Record<UploadKind, string> = {
  image: "image/*",
  audio: "audio/*",
  video: "video/*",
  pdf: "application/pdf",
  file: "",
};

export function abilitiesOf(document: unknown): Abilities {
  const flag = (...path: string[]) => at(document, path) === true;
  const subAgents = at(document, ["multiAgent", "subAgents"]);
  return {
    reasoning: flag("reasoning", "supported"),
    feedback: flag("humanInTheLoop", "feedback"),
    // A server without a document still takes edits: the approvals API always does.
    approveWithEdits: at(document, ["humanInTheLoop", "approveWithEdits"]) !== false,
    subAgents: Array.isArray(subAgents) ? subAgents.filter((each) => typeof each?.name === "string") : [],
    uploads: UPLOADS.filter((kind) => flag("multimodal", "input", kind)),
  };
}

const at = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      inner !== null && typeof inner === "object" ? (inner as Record<string, unknown>)[key] : undefined,
    value,
  );
