/**
 * Real folders for agents: each session works on a branch in a worktree of its own, and the folder itself only changes when
 * a person applies that. Rows record what is open; work of a killed process is completed or undone on the next access.
 */
import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Failure, fail, ok, type Result } from "@capstan/core";
import { makePassage } from "../commands/open-to-others.ts";
import { hasCommit, moveFolder, prepareCommit, undoHalf } from "./apply-change.ts";
import { freeBranch } from "./branch-name.ts";
import type { ChangedFile } from "./change-files.ts";
import { blockedPaths, filesBetween, mergedTree, outwardLinks } from "./folder-change.ts";
import type { FolderWork, FolderWorks } from "./folder-works.ts";
import type { Git } from "./git.ts";
import { allowedFolder, openRepository, type Repository } from "./repository.ts";
import type { Snapshot } from "./snapshot.ts";
import { Turns } from "./turns.ts";
import {
  commitTree,
  isComplete,
  placeWorktree,
  readWorktree,
  removeBranch,
  removeWorktree,
  saveWorktree,
  type WorktreePlace,
} from "./worktree.ts";

const APPLY_LASTS_MS = 5 * 60 * 1000; // every git command ends before; an older one was killed
const ATTEMPTS = 3; // someone else may commit to the folder between the merge and the move

export interface FolderChange {
  readonly work: FolderWork;
  readonly files: readonly ChangedFile[];
  /** Commits that the folder has and the change does not. */
  readonly behind: number;
  readonly conflicts: readonly string[];
  /** Files of the change with uncommitted changes in the folder. */
  readonly blockedBy: readonly string[];
  readonly notes: readonly string[];
  /** Why the folder or the worktree cannot be read. */
  readonly problem?: Failure;
}

export interface WorktreeParts {
  readonly git: Git;
  readonly works: FolderWorks;
  /** The folder of the worktrees, and one for copies beside it. */
  readonly root: string;
  readonly scratch: string;
  readonly allowed: readonly string[];
}

export interface WorktreeUse {
  readonly sessionId: string;
  readonly folder: string;
  /** The OS user of the program. */
  readonly owner: number | undefined;
}

export interface Applier {
  readonly by: string;
  readonly message: string;
}

export class Worktrees {
  readonly #parts: WorktreeParts;
  /** One step at a time per session and per folder. */
  readonly #turns = new Turns();
  /** Sessions whose program is running: their change is not touched, whatever the run's status. */
  readonly #using = new Set<string>();
  readonly #applying = new Set<string>();

  constructor(parts: WorktreeParts) {
    this.#parts = parts;
  }

  /** Whether agents may currently work in this folder. */
  async check(folder: string): Promise<Result<Repository>> {
    const allowed = await allowedFolder(folder, this.#parts.allowed);
    return allowed.ok ? openRepository(this.#parts.git, allowed.value) : allowed;
  }

  /** Lets `run` work in the session's worktree and saves the result on its branch; returns what could not be saved. */
  use(asked: WorktreeUse, run: (folder: string) => Promise<void>): Promise<Result<readonly string[]>> {
    return this.#turns.take(`run ${asked.sessionId}`, async () => {
      this.#using.add(asked.sessionId);
      try {
        const opened = await this.#turns.take(asked.sessionId, () => this.#open(asked));
        return opened.ok ? ok(await this.#runIn(opened.value, run)) : opened;
      } finally {
        this.#using.delete(asked.sessionId);
      }
    });
  }

  /** Changes of a failed run are saved too. */
  async #runIn(place: WorktreePlace, run: (folder: string) => Promise<void>): Promise<readonly string[]> {
    let saved: readonly string[] = [];
    try {
      await run(place.folder);
    } finally {
      saved = await this.#save(place);
    }
    return saved;
  }

  async read(sessionId: string): Promise<Result<FolderChange>> {
    const work = await this.#latest(sessionId);
    if (!work.ok) return work;
    const settled = await this.#finishKilled(work.value);
    const read = await this.#describe(settled);
    return ok(read.ok ? read.value : { ...NOTHING, work: settled, problem: read.failure });
  }

  /** The files that this session itself changed; a branch started with its origin's. */
  async ownFiles(sessionId: string): Promise<readonly ChangedFile[] | undefined> {
    const work = await this.#parts.works.latest(sessionId);
    const repository = work && (await this.check(work.folder));
    if (!work || !repository?.ok) return undefined;
    const to = work.commit ?? (await this.#treeNow(repository.value, work));
    if (to === undefined) return undefined;
    const files = await filesBetween(this.#parts.git, repository.value, work.start, to);
    return files.ok ? files.value : undefined;
  }

  apply(sessionId: string, applier: Applier): Promise<Result<FolderChange>> {
    return this.#settle(sessionId, async (work) => {
      const repository = await this.check(work.folder);
      if (!repository.ok) return repository;
      if (!(await this.#parts.works.leave(work.id, "applying", applier.by))) return busy();
      this.#applying.add(work.id);
      try {
        const applied = await this.#turns.take(work.folder, () => this.#applyNow(work, applier));
        if (!applied.ok) await this.#parts.works.reopen(work.id);
        return applied;
      } finally {
        this.#applying.delete(work.id);
      }
    });
  }

  /** Works without the folder too; removes what is left. */
  discard(sessionId: string, by: string): Promise<Result<FolderChange>> {
    return this.#settle(sessionId, async (work) =>
      (await this.#parts.works.leave(work.id, "discarded", by)) ? ok(work.id) : busy(),
    );
  }

  /** Removes worktrees of settled work and of deleted sessions. */
  async sweep(): Promise<void> {
    for (const work of await this.#parts.works.listLeftovers()) {
      if (!this.#using.has(work.sessionId))
        await this.#turns.take(work.sessionId, () => this.#sweepOne(work));
    }
  }

  /** The folder belongs to the session's newest work; of earlier work only the branch is left. */
  async #sweepOne(work: FolderWork): Promise<void> {
    const { git, works } = this.#parts;
    const newest = await works.latest(work.sessionId);
    const isFollowed = newest && newest.id !== work.id && ["open", "applying"].includes(newest.status);
    if (!isFollowed) return this.#clear(work);
    const repository = await this.check(work.folder);
    if (repository.ok && newest.branch !== work.branch)
      await removeBranch(git, repository.value, work.branch);
    await works.noteCleared(work.id);
  }

  async close(): Promise<void> {
    await this.#turns.drain();
  }

  async #latest(sessionId: string): Promise<Result<FolderWork>> {
    const work = await this.#parts.works.latest(sessionId);
    return work ? ok(work) : fail("not_found", { what: "change of a folder", id: sessionId });
  }

  async #settle(
    sessionId: string,
    step: (work: FolderWork) => Promise<Result<unknown>>,
  ): Promise<Result<FolderChange>> {
    return this.#turns.take(sessionId, async () => {
      if (this.#using.has(sessionId)) return busy();
      const found = await this.#latest(sessionId);
      if (!found.ok) return found;
      const work = await this.#finishKilled(found.value);
      if (work.status === "applying") return busy();
      if (work.status !== "open") return fail("not_found", { what: "open change", id: sessionId });
      const done = await step(work);
      const now = done.ok ? await this.#latest(sessionId) : done;
      if (!now.ok) return now;
      await this.#clear(now.value);
      return this.read(sessionId);
    });
  }

  /** Settles what a killed process was applying: applied if it is in the folder, else not. */
  async #finishKilled(work: FolderWork): Promise<FolderWork> {
    const isOurs = this.#applying.has(work.id);
    if (work.status !== "applying" || isOurs) return work;
    const { git, works } = this.#parts;
    const repository = await this.check(work.folder);
    if (repository.ok && work.commit && (await hasCommit(git, repository.value, work.commit))) {
      await works.finish(work.id);
    } else if (Date.now() - work.updatedAt.getTime() > APPLY_LASTS_MS) {
      if (repository.ok && work.commit) await undoHalf(git, repository.value, work.commit);
      await works.reopen(work.id);
    } else return work;
    return (await works.latest(work.sessionId)) ?? work;
  }

  async #applyNow(work: FolderWork, applier: Applier): Promise<Result<true>> {
    let moved = await this.#tryApply(work, applier);
    for (let attempt = 1; attempt < ATTEMPTS && isGitsOwn(moved); attempt++) {
      moved = await this.#tryApply(work, applier);
    }
    return moved;
  }

  async #tryApply(work: FolderWork, { by, message }: Applier): Promise<Result<true>> {
    const { git, works } = this.#parts;
    const repository = await this.check(work.folder); // read again: its branch may have moved
    if (!repository.ok) return repository;
    const place = this.#place(repository.value, work);
    await this.#makeScratch();
    const placed = await this.#placeNow(place, undefined);
    const saved = placed.ok ? await saveWorktree(place, message) : placed;
    if (!saved.ok) return saved;
    const change = { git, repository: repository.value, commit: saved.value.commit, branch: work.branch };
    const commit = await prepareCommit({ ...change, message, person: by });
    if (!commit.ok) return commit;
    await works.noteCommit(work.id, commit.value);
    const moved = await moveFolder(change, commit.value);
    if (moved.ok) await works.finish(work.id);
    return moved;
  }

  async #open(asked: WorktreeUse): Promise<Result<WorktreePlace>> {
    const repository = await this.check(asked.folder);
    if (!repository.ok) return repository;
    const work = await this.#openWork(asked.sessionId, repository.value);
    if (!work.ok) return work;
    const { folder } = work.value;
    if (folder !== repository.value.root) return otherFolder(folder);
    await makePassage(this.#parts.root);
    const place = this.#place(repository.value, work.value);
    const placed = await this.#placeNow(place, asked.owner);
    return placed.ok ? ok(place) : placed;
  }

  /** One at a time per repository: git's list of worktrees breaks when several are added at once. */
  #placeNow(place: WorktreePlace, owner: number | undefined): Promise<Result<unknown>> {
    return this.#turns.take(`place ${place.repository.commonDir}`, () => placeWorktree(place, owner));
  }

  async #openWork(sessionId: string, repository: Repository): Promise<Result<FolderWork>> {
    const { works } = this.#parts;
    const latest = await works.latest(sessionId);
    const work = latest && (await this.#finishKilled(latest));
    if (work?.status === "open") return ok(work);
    if (work?.status === "applying") return busy();
    const begins = await this.#beginning(sessionId, repository);
    if (!begins.ok) return begins;
    const branch = await freeBranch(this.#parts.git, repository, sessionId);
    if (!branch.ok) return branch;
    const { root: folder } = repository;
    return ok(await works.begin({ sessionId, folder, branch: branch.value, ...begins.value }));
  }

  /** The folder's newest commit; for a branch of a conversation, the state of the one it was branched from. */
  async #beginning(
    sessionId: string,
    repository: Repository,
  ): Promise<Result<Pick<FolderWork, "base" | "start">>> {
    const { git, works } = this.#parts;
    const fresh = { base: repository.head, start: repository.head };
    const origin = await works.ofOrigin(sessionId);
    if (!origin || origin.folder !== repository.root) return ok(fresh);
    const tree = await this.#treeNow(repository, origin);
    if (tree === undefined) return ok(fresh);
    const message = "Where a branch of the conversation began\n";
    const commit = await commitTree(git, repository.commonDir, {
      tree,
      parent: origin.base,
      message,
      person: "Capstan",
    });
    return commit.ok ? ok({ base: origin.base, start: commit.value }) : commit;
  }

  async #treeNow(repository: Repository, work: FolderWork): Promise<string | undefined> {
    const now = await this.#treeOf(repository, work);
    return now.ok ? now.value.tree : undefined;
  }

  /** The worktree as it is, or its last saved state if it is gone. */
  async #treeOf(repository: Repository, work: FolderWork): Promise<Result<Snapshot>> {
    await this.#makeScratch();
    const place = this.#place(repository, work);
    if (await isComplete(place)) return readWorktree(place);
    const gitDir = repository.commonDir;
    const saved = `refs/heads/${work.branch}^{tree}`;
    const tip = await this.#parts.git.line(["rev-parse", "--verify", "--quiet", saved], { gitDir });
    const tree = tip.ok ? tip : await this.#parts.git.line(["rev-parse", `${work.start}^{tree}`], { gitDir });
    return tree.ok ? ok({ tree: tree.value, leftOut: [] }) : tree;
  }

  /** What could not be saved; the worktree keeps it. */
  async #save(place: WorktreePlace): Promise<readonly string[]> {
    await this.#makeScratch();
    const saved = await saveWorktree(place, `Work of session ${place.work.sessionId}\n`);
    return saved.ok ? saved.value.leftOut : [saved.failure.message];
  }

  async #describe(work: FolderWork): Promise<Result<FolderChange>> {
    const { git } = this.#parts;
    if (work.status === "discarded") return ok({ ...NOTHING, work });
    const found = await this.check(work.folder);
    if (!found.ok) return found;
    const repository = found.value;
    if (work.status === "applied") {
      const files = await filesBetween(git, repository, `${work.commit}^`, work.commit ?? "");
      return files.ok ? ok({ ...NOTHING, work, files: files.value }) : files;
    }
    const taken = await this.#treeOf(repository, work);
    if (!taken.ok) return taken;
    const { tree, leftOut } = taken.value;
    const files = await filesBetween(git, repository, work.base, tree);
    if (!files.ok) return files;
    const ahead = await git.line(["rev-list", "--count", `${work.base}..${repository.head}`], {
      gitDir: repository.commonDir,
    });
    const blockedBy = await blockedPaths(git, repository, files.value);
    if (!blockedBy.ok) return blockedBy;
    const conflicts = await this.#conflicts(repository, work, tree);
    if (!conflicts.ok) return conflicts;
    const links = await outwardLinks(git, repository, tree, files.value);
    return ok({
      work,
      files: files.value,
      behind: ahead.ok ? Number(ahead.value) : 0,
      conflicts: conflicts.value,
      blockedBy: blockedBy.value,
      notes: [
        ...leftOut.map((path) => `Left out: ${path}`),
        ...links.map((link) => `A link that leads out of the folder: ${link}`),
      ],
    });
  }

  async #conflicts(
    repository: Repository,
    { base }: FolderWork,
    tree: string,
  ): Promise<Result<readonly string[]>> {
    const { git } = this.#parts;
    const commit = await commitTree(git, repository.commonDir, {
      tree,
      parent: base,
      message: "Preview\n",
      person: "Capstan",
    });
    if (!commit.ok) return commit;
    const merged = await mergedTree(git, repository, commit.value);
    return merged.ok ? ok(merged.value.conflicts) : merged;
  }

  async #clear(work: FolderWork): Promise<void> {
    const { git, works } = this.#parts;
    const repository = await this.check(work.folder);
    const place = this.#place(repository.ok ? repository.value : undefined, work);
    const removed = await removeWorktree({ ...place, git });
    if (removed.ok) await works.noteCleared(work.id);
  }

  #place<R extends Repository | undefined>(repository: R, work: FolderWork) {
    const name = createHash("sha256").update(work.sessionId).digest("hex").slice(0, 32);
    const { git, root, scratch } = this.#parts;
    return { git, repository, work, folder: join(root, name), scratch };
  }

  async #makeScratch(): Promise<void> {
    await mkdir(this.#parts.scratch, { recursive: true, mode: 0o700 });
  }
}

const isGitsOwn = (done: Result<unknown>): boolean => !done.ok && done.failure.code === "folder_git_failed";

const NOTHING = { files: [], behind: 0, conflicts: [], blockedBy: [], notes: [] } as const;

const busy = (): Result<never> =>
  fail("folder_busy", { what: "a run of the session works on it, or somebody applies it" });

const otherFolder = (folder: string): Result<never> =>
  fail("conflict", {
    message: `The session has an open change in ${folder}, which is no longer its agent's folder.`,
    nextStep: "Apply or discard that change, then send the message again.",
  });
