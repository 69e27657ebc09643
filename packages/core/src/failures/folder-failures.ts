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
    message: ({ folder }) => `This server does not allow the folder ${folder}.`,
    nextStep: () =>
      "Choose a folder inside one of CAPSTAN_CODING_AGENT_FOLDERS, or add this one to it and restart the server.",
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
    message: ({ why }) => `Only a coding agent with its own tools can work in a folder: ${why}.`,
    nextStep: () =>
      "Set harness to a coding agent and allow_native_tools to true, or leave the folder out and use session files.",
  }),
  folder_busy: row<{ what: string }>({
    status: 409,
    message: ({ what }) => `The change is locked: ${what}.`,
    nextStep: () => "Wait until that finishes, or cancel the run, then try again.",
  }),
  folder_change_empty: row<{ branch: string }>({
    status: 409,
    message: ({ branch }) => `There is nothing to apply: ${branch} has no changes.`,
    nextStep: () => "Send the session a message that changes files, or discard the branch.",
  }),
  folder_change_conflicts: row<{ paths: readonly string[]; branch: string }>({
    status: 409,
    message: ({ paths }) =>
      `The folder has changed, and the agent's change conflicts with it in ${named(paths)}.`,
    nextStep: ({ branch }) =>
      `Merge the branch ${branch} by hand, or discard the change and send the message again to start from the folder's newest commit.`,
    details: ({ paths }) => ({ paths }),
  }),
  folder_change_blocked: row<{ paths: readonly string[]; folder: string }>({
    status: 409,
    message: ({ paths, folder }) =>
      `${folder} has uncommitted changes in files that this change touches: ${named(paths)}.`,
    nextStep: () => "Nothing was changed. Commit or stash them, then apply again.",
    details: ({ paths }) => ({ paths }),
  }),
  folder_change_too_large: row<{ what: string }>({
    status: 422,
    message: ({ what }) => `The change is too large to keep: ${what}.`,
    nextStep: () => "Add build output and downloads to the repository's .gitignore, or discard the change.",
  }),
  folder_worktree_gone: row<{ branch: string }>({
    status: 409,
    message: ({ branch }) =>
      `The worktree was removed while its program was running. Everything saved before that is on the branch ${branch}`,
    nextStep: () => "Send the message again; the worktree is recreated from that branch.",
    details: ({ branch }) => ({ branch }),
  }),
  folder_git_failed: row<{ command: string; output: string }>({
    status: 502,
    message: ({ command, output }) => `git ${command} failed: ${output}`,
    nextStep: () => "Run that command in the folder to see why, then try again.",
  }),
};
