/** The change that a session made in a real folder, until a person applies or discards it. */
import { z } from "zod";

export const FolderFile = z
  .object({
    path: z.string(),
    change: z.enum(["added", "changed", "removed"]),
    kind: z.enum(["file", "link", "submodule"]),
    additions: z.int().optional().meta({ description: "Absent where it is no text." }),
    deletions: z.int().optional(),
    diff: z.string().nullable().meta({ description: "Null where it is no text, or too long." }),
  })
  .meta({ id: "FolderFile" });
export type FolderFile = z.infer<typeof FolderFile>;

export const FolderChange = z
  .object({
    session_id: z.string(),
    status: z.enum(["open", "applying", "applied", "discarded"]),
    folder: z.string(),
    branch: z
      .string()
      .meta({ description: "The branch of the worktree; removed when the change is settled." }),
    base: z.string().meta({ description: "The folder's commit that the change is based on." }),
    commit: z.string().nullable().meta({ description: "The folder's commit with the change, once applied." }),
    files: z.array(FolderFile),
    behind: z.int().meta({ description: "Commits that the folder has and the change is not based on." }),
    conflicts: z
      .array(z.string())
      .meta({ description: "Files in which those commits conflict with the change." }),
    blocked_by: z
      .array(z.string())
      .meta({ description: "Files of the change that have uncommitted changes in the folder." }),
    notes: z
      .array(z.string())
      .meta({ description: "What is left out, and links that lead out of the folder." }),
    problem: z
      .object({ code: z.string(), message: z.string(), nextStep: z.string() })
      .nullable()
      .meta({ description: "Why the change cannot be read: its folder is gone, for example." }),
    settled_by: z.string().nullable(),
    settled_at: z.string().nullable(),
    created_at: z.string(),
  })
  .meta({ id: "FolderChange" });
export type FolderChange = z.infer<typeof FolderChange>;

export const ChangeApply = z
  .strictObject({
    message: z
      .string()
      .trim()
      .min(1)
      .max(10_000)
      .optional()
      .meta({ description: "The commit's message; by default the session's title." }),
  })
  .meta({ id: "ChangeApply" });
export type ChangeApply = z.input<typeof ChangeApply>;
