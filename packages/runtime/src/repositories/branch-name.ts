/** The name of a session's branch: an unused one, because the branch is reset at the start and deleted at the end. */
import { ok, type Result } from "@capstan/core";
import type { Git } from "./git.ts";
import type { Repository } from "./repository.ts";

const PREFIX = "capstan";
const OURS = [`refs/heads/${PREFIX}`, `refs/heads/${PREFIX}-*`];

export async function freeBranch(
  git: Git,
  { commonDir: gitDir }: Repository,
  sessionId: string,
): Promise<Result<string>> {
  const told = await git.text(["for-each-ref", "--format=%(refname)", ...OURS], { gitDir });
  if (!told.ok) return told;
  const taken = told.value.split("\n").map((name) => name.replace(/^refs\/heads\//, ""));
  // A branch that is called like the first part leaves no room for names below it.
  const separator = taken.includes(PREFIX) ? "-" : "/";
  const name = `${PREFIX}${separator}${sessionId.replaceAll("-", "").slice(-12)}`;
  const isTaken = (wanted: string) => taken.some((one) => one === wanted || one.startsWith(`${wanted}/`));
  let free = name;
  for (let number = 2; isTaken(free); number++) free = `${name}-${number}`;
  return ok(free);
}
