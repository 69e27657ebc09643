/** The rows of the suite about content that somebody hostile wrote: folders, files, texts. */
import type { SecurityRow } from "./sharing-attacks.ts";

const GIT = "packages/runtime/src/repositories/git-attacks.live.test.ts";

export const CONTENT_ATTACKS: readonly SecurityRow[] = [
  {
    attack: "a program that runs as the server, by what a repository or a worktree holds",
    shownBy: [
      [GIT, "a program would run as the server by %s"],
      [GIT, "by hooks, monitors and viewers in the folder's own .git"],
      [GIT, "in the folder's .git/config would run as the server"],
      [GIT, "a missing object would be fetched by a command"],
    ],
  },
];
