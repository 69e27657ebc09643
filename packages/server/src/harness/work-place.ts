/** Where a program works: the session's files as a folder, or a worktree of the agent's real folder. */
import type { Result, SessionFileStore } from "@capstan/core";
import type { SessionFolders, Worktrees } from "@capstan/runtime";

export interface WorkPlace {
  /** Lets `work` use the folder and saves what it changed; returns what could not be saved. */
  use(work: (folder: string) => Promise<void>): Promise<Result<readonly string[]>>;
  /** Syncs changes in both directions during the work. */
  refresh(): Promise<void>;
  /** What the program's environment says about the folder. */
  environment(folder: string): Readonly<Record<string, string>>;
}

export interface SessionPlace {
  readonly sessionId: string;
  readonly files: SessionFileStore;
  readonly owner: number | undefined;
  readonly adopts: boolean;
}

export const sessionPlace = (folders: SessionFolders, place: SessionPlace): WorkPlace => ({
  async use(work) {
    const used = await folders.use({ ...place, isWhole: () => true }, work);
    if (!used.ok) return used;
    return { ok: true, value: used.value.changes.refused.map(({ path, why }) => `${path}: ${why}`) };
  },
  refresh: () => folders.refresh(place).catch(() => {}), // saved at the end instead
  environment: () => ({}),
});

export interface FolderPlace {
  readonly sessionId: string;
  readonly folder: string;
  readonly owner: number | undefined;
}

/** The program's user does not own the repository, which git refuses unless it is told. */
export const folderPlace = (worktrees: Worktrees, place: FolderPlace): WorkPlace => ({
  use: (work) => worktrees.use(place, work),
  refresh: async () => {}, // tools work on session files, the program on its branch
  environment: (folder) => ({
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "safe.directory",
    GIT_CONFIG_VALUE_0: folder,
  }),
});
