/** Failures of the area "folder": agents that work in a real folder, on a branch of its repository. */
import { row } from "./failure.ts";

const MOST_NAMED = 5;

const named = (paths: readonly string[]): string =>
  paths.length > MOST_NAMED
    ? `${paths.slice(0, MOST_NAMED).join(", ")} and ${paths.length - MOST_NAMED} more`
    : paths.join(", ");

export const folderFailures = {
  folder_not_allowed: row<{ folder: string }>({
    status: 422,
    message: ({ folder }) => `The folder ${folder} is not among those that this server allows.`,
    nextStep: () =>
      "Name a folder below one of CAPSTAN_CODING_AGENT_FOLDERS, or start the server with the folder in that list.",
    details: ({ folder }) => ({ folder }),
  }),
  folder_unusable: row<{ folder: string; why: string; nextStep: string }>({
    status: 422,
    message: ({ folder, why }) => `An agent cannot work in ${folder}: ${why}.`,
    nextStep: ({ nextStep }) => nextStep,
    details: ({ folder }) => ({ folder }),
  }),
  folder_without_tools: row<{ why: string }>({
    status: 422,
    message: ({ why }) => `Only a coding agent's program with its own tools can work in a folder: ${why}.`,
    nextStep: () =>
      "Set harness to a coding agent and allow_native_tools to true, or leave the folder out and use session files.",
  }),
  folder_busy: row<{ what: string }>({
    status: 409,
    message: ({ what }) => `The change cannot be touched now: ${what}.`,
    nextStep: () => "Wait until that has ended, or cancel the run, and try again.",
  }),
  folder_change_empty: row<{ branch: string }>({
    status: 409,
    message: ({ branch }) => `There is nothing to apply: ${branch} holds no change.`,
    nextStep: () => "Send the session a message that changes files, or discard the branch.",
  }),
  folder_change_conflicts: row<{ paths: readonly string[]; branch: string }>({
    status: 409,
    message: ({ paths }) => `The folder has moved on, and the change conflicts with it in ${named(paths)}.`,
    nextStep: ({ branch }) =>
      `Merge the branch ${branch} by hand, or discard the change and send the message again: it then starts from the folder's newest commit.`,
    details: ({ paths }) => ({ paths }),
  }),
  folder_change_blocked: row<{ paths: readonly string[]; folder: string }>({
    status: 409,
    message: ({ paths, folder }) =>
      `${folder} has changes of its own that are not committed, in files of this change: ${named(paths)}.`,
    nextStep: () => "Commit or stash them, then apply again. Nothing was changed.",
    details: ({ paths }) => ({ paths }),
  }),
  folder_change_too_large: row<{ what: string }>({
    status: 422,
    message: ({ what }) => `The change is too large to be kept: ${what}.`,
    nextStep: () => "Add what was built or downloaded to the repository's .gitignore, or discard the change.",
  }),
  folder_worktree_gone: row<{ branch: string }>({
    status: 409,
    message: ({ branch }) =>
      `The worktree is gone: it was removed while its program worked. What was saved before is on the branch ${branch}`,
    nextStep: () => "Send the message again: the worktree is made anew from that branch.",
    details: ({ branch }) => ({ branch }),
  }),
  folder_git_failed: row<{ command: string; output: string }>({
    status: 502,
    message: ({ command, output }) => `git ${command} failed: ${output}`,
    nextStep: () => "Run that command in the folder by hand to see why, and try again.",
  }),
};
