/**
 * The trigger files as a queue: which wait, in which order, and how one is claimed, settled and released.
 * All state is in the files; the index only avoids reading them twice.
 */
import { createHash } from "node:crypto";
import { link, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { readTrigger, TRIGGER_MAX_BYTES, type Trigger } from "@capstan/core/internal";
import { readPlainFile, readPlainText } from "../files/plain-file.ts";
import { createWhole, moveIfThere, writeWhole } from "./atomic-files.ts";
import { type LaneToken, LaneTokens } from "./lane-tokens.ts";
import { laneOf, startable } from "./lanes.ts";
import { advance, DEFAULT_RETRY, type RetryPolicy, type TriggerState } from "./life-cycle.ts";
import type { ManagerPulse } from "./manager-pulse.ts";
import {
  isCapabilityFolder,
  pendingName,
  processingName,
  readPendingName,
  readProcessingName,
  STATE_FOLDERS,
} from "./trigger-names.ts";
import { keyOf, type Waiting, WaitingIndex } from "./waiting-index.ts";

const READ_AT_ONCE = 32;
const MARKER_MAX_BYTES = 1_000; // it contains one id
const UNFINISHED_MS = 2_000; // time for a producer that writes in place, against the rules, to finish

/** For crash tests; called after each step that changes a file. */
export type StepHook = (step: string) => void;

export interface TriggerResult {
  readonly session_id?: string;
  readonly channel: string;
  readonly target?: string;
  readonly delivered: boolean;
  readonly reason?: string;
}

export interface Claim {
  readonly trigger: Trigger;
  readonly capability: string;
  readonly attempt: number;
  /** Each returns false when the claim was taken over meanwhile; the other process then settles it. */
  succeed(result: TriggerResult): Promise<boolean>;
  fail(reason: string): Promise<boolean>;
}

export interface TriggerQueueOptions {
  readonly root: string;
  readonly pulse: ManagerPulse;
  readonly policy?: RetryPolicy | undefined;
  readonly now: () => number;
  readonly onStep?: StepHook | undefined;
}

export class TriggerQueue {
  readonly #root: string;
  readonly #pulse: ManagerPulse;
  readonly #policy: RetryPolicy;
  readonly #now: () => number;
  readonly #step: StepHook;
  readonly #lanes: LaneTokens;
  readonly #waiting = new WaitingIndex();
  /** Lanes with a running trigger in this process. */
  readonly #running = new Set<string>();
  /** Lanes that another process held at the last attempt; cleared at the next scan. */
  readonly #heldElsewhere = new Set<string>();
  /** The generation of each lane at the scan of that number. */
  readonly #generations = new Map<string, { generation: number; scan: number }>();
  #scans = 0;

  constructor({ root, pulse, policy, now, onStep }: TriggerQueueOptions) {
    this.#root = root;
    this.#pulse = pulse;
    this.#policy = policy ?? DEFAULT_RETRY;
    this.#now = now;
    this.#step = onStep ?? (() => {});
    this.#lanes = new LaneTokens(join(root, "_lanes"), () => pulse.owner);
  }

  async capabilities(): Promise<string[]> {
    const entries = await readdir(this.#root, { withFileTypes: true }).catch(() => []);
    return entries
      .filter((entry) => entry.isDirectory() && isCapabilityFolder(entry.name))
      .map(({ name }) => name);
  }

  /** Updates the index; returns how many triggers are new. Unreadable files go to `_invalid/`. */
  async scan(): Promise<number> {
    this.#scans += 1;
    const scan = this.#scans;
    const present = new Set<string>();
    let found = 0;
    for (const capability of await this.capabilities()) {
      const names = await readdir(join(this.#root, capability)).catch(() => []);
      for (const fileName of names) present.add(keyOf({ capability, fileName }));
      const unknown = names.filter((fileName) => !this.#waiting.has(keyOf({ capability, fileName })));
      for (let at = 0; at < unknown.length; at += READ_AT_ONCE) {
        const part = unknown.slice(at, at + READ_AT_ONCE);
        const read = await Promise.all(part.map((fileName) => this.#read(capability, fileName, scan)));
        for (const waiting of read.filter((each) => each !== undefined)) {
          this.#waiting.add(waiting);
          found += 1;
        }
      }
    }
    this.#waiting.keepOnly(present);
    this.#heldElsewhere.clear();
    return found;
  }

  /**
   * Claims the next trigger that may start, or returns undefined. The head of a lane counts only when a whole scan has
   * passed since it was seen: a listing taken while others write may show a later trigger and miss an earlier one.
   */
  async claimNext(): Promise<Claim | undefined> {
    const busy = new Set([...this.#running, ...this.#heldElsewhere]);
    for (const waiting of startable(this.#waiting.heads(), busy, this.#now())) {
      const claim = waiting.seenIn < this.#scans ? await this.#claim(waiting) : undefined;
      if (claim) return claim;
    }
    return undefined;
  }

  /** When the next pause ends, so that nobody has to poll for it. */
  nextDueMs(): number | undefined {
    const times = this.#waiting.heads().map(({ notBeforeMs }) => notBeforeMs);
    return times.filter((time) => time > this.#now()).sort((a, b) => a - b)[0];
  }

  /** Releases what dead managers had claimed: first the triggers, then their lanes, to keep the order. */
  async recover(): Promise<number> {
    const lives = this.#pulse.whoLives();
    let returned = 0;
    for (const capability of await this.capabilities()) {
      const folder = join(this.#root, capability, STATE_FOLDERS.processing);
      for (const fileName of await readdir(folder).catch(() => [])) {
        const name = readProcessingName(fileName);
        if (!name || (await lives(name.owner))) continue;
        const state: TriggerState = { status: "processing", attempts: name.attempts, owner: name.owner };
        const next = advance(state, { type: "owner-died", owner: name.owner }, this.#moment());
        if (next.ok && (await this.#moveTo(next.value, capability, name.id, join(folder, fileName))))
          returned += 1;
      }
    }
    await this.#lanes.freeDead(lives);
    await this.#pulse.removeDead(lives);
    return returned;
  }

  async #read(capability: string, fileName: string, scan: number): Promise<Waiting | undefined> {
    const name = readPendingName(fileName);
    if (!name) return undefined;
    const path = join(this.#root, capability, fileName);
    const file = await readPlainFile(path, TRIGGER_MAX_BYTES);
    if (file === "gone") return undefined;
    if (file === "refused")
      return this.#invalid(
        path,
        capability,
        fileName,
        `it is not a regular file of at most ${TRIGGER_MAX_BYTES} bytes`,
      );
    const read = readTrigger(file.bytes.toString("utf8"));
    if (!read.ok) {
      if (Date.now() - file.modifiedAtMs < UNFINISHED_MS) return undefined;
      return this.#invalid(path, capability, fileName, read.failure.message);
    }
    const { id, user, created_at, dedupe_key } = read.value;
    if (name.stem !== id) return this.#rename(path, capability, id);
    return {
      id,
      user,
      capability,
      fileName,
      attempts: name.attempts,
      notBeforeMs: name.notBeforeMs,
      createdAtMs: Date.parse(created_at),
      dedupeKey: dedupe_key,
      seenIn: scan,
    };
  }

  /** A file may have any name; inside the queue it is named by its id. The next scan finds it. */
  async #rename(path: string, capability: string, id: string): Promise<undefined> {
    const target = join(this.#root, capability, pendingName({ stem: id, attempts: 0, notBeforeMs: 0 }));
    const isNew = await link(path, target).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code !== "EEXIST",
    );
    if (isNew) await rm(path, { force: true });
    else await this.#setAside("deduped", path, capability, id, "a trigger with this id is already waiting");
  }

  async #invalid(path: string, capability: string, fileName: string, reason: string): Promise<undefined> {
    await this.#setAside("invalid", path, capability, fileName.replace(/\.json$/, ""), reason);
  }

  async #claim(waiting: Waiting): Promise<Claim | undefined> {
    const lane = laneOf(waiting);
    const token = await this.#lanes.take(lane);
    if (!token) {
      this.#heldElsewhere.add(lane);
      return undefined;
    }
    this.#step("lane-taken");
    const claimed = this.#isCurrent(lane, token) ? await this.#claimHead(waiting, lane, token) : undefined;
    if (claimed) {
      this.#running.add(lane);
      return claimed;
    }
    await token.release({ changed: false });
    return undefined;
  }

  /**
   * A new generation means that something returned to the lane: our view of its head may be stale until a later
   * scan.
   */
  #isCurrent(lane: string, { generation }: LaneToken): boolean {
    const known = this.#generations.get(lane) ?? { generation: 0, scan: 0 };
    if (known.generation === generation && known.scan < this.#scans) return true;
    if (known.generation !== generation) this.#generations.set(lane, { generation, scan: this.#scans });
    this.#heldElsewhere.add(lane);
    return false;
  }

  async #claimHead(waiting: Waiting, lane: string, token: LaneToken): Promise<Claim | undefined> {
    const { id, capability, fileName, attempts, notBeforeMs } = waiting;
    const path = join(this.#root, capability, fileName);
    this.#waiting.delete(keyOf(waiting));
    // Another process may have changed it since the scan; while we hold the lane nobody else moves it.
    if (!(await exists(path))) return undefined;
    const duplicate = await this.#duplicateOf(waiting);
    if (duplicate) {
      await this.#setAside("deduped", path, capability, id, duplicate);
      return undefined;
    }
    const owner = this.#pulse.owner;
    const state = advance(
      { status: "pending", attempts, notBeforeMs },
      { type: "claimed", owner },
      this.#moment(),
    );
    if (!state.ok) return undefined;
    const name = processingName({ id, attempts: attempts + 1, owner });
    const claimed = join(this.#root, capability, STATE_FOLDERS.processing, name);
    if (!(await moveIfThere(path, claimed))) return undefined;
    this.#step("claimed");
    const text = await readPlainText(claimed, TRIGGER_MAX_BYTES);
    // Already taken over: we were frozen for so long that we were considered dead.
    if (text === undefined) return undefined;
    const read = readTrigger(text);
    if (read.ok)
      return this.#claimOf({
        trigger: read.value,
        capability,
        path: claimed,
        state: state.value,
        lane,
        token,
      });
    await this.#invalid(claimed, capability, fileName, read.failure.message);
    return undefined;
  }

  #claimOf(held: {
    trigger: Trigger;
    capability: string;
    path: string;
    state: TriggerState;
    lane: string;
    token: LaneToken;
  }): Claim {
    const { trigger, capability, path, state, lane, token } = held;
    const settle = async (next: TriggerState): Promise<boolean> => {
      const moved = await this.#moveTo(next, capability, trigger.id, path);
      this.#step("moved");
      const changed = next.status === "pending";
      if (changed) this.#generations.set(lane, { generation: token.generation + 1, scan: this.#scans });
      await token.release({ changed });
      this.#step("lane-released");
      this.#running.delete(lane);
      return moved;
    };
    return {
      trigger,
      capability,
      attempt: state.attempts,
      succeed: async (result) => {
        const sidecar = join(this.#root, capability, STATE_FOLDERS.done, `${trigger.id}.result.json`);
        await writeWhole(sidecar, JSON.stringify(result));
        this.#step("result-written");
        return settle({ status: "done", attempts: state.attempts });
      },
      fail: async (reason) => {
        const next = advance(state, { type: "attempt-failed", reason }, this.#moment());
        return next.ok ? settle(next.value) : false;
      },
    };
  }

  /** Why a trigger must not run; undefined when it is the first of its kind. */
  async #duplicateOf({ id, user, capability, dedupeKey }: Waiting): Promise<string | undefined> {
    for (const folder of [STATE_FOLDERS.done, STATE_FOLDERS.failed]) {
      if (await exists(join(this.#root, capability, folder, `${id}.json`)))
        return "a trigger with this id was already handled";
    }
    if (dedupeKey === undefined) return undefined;
    const marker = dedupeMarker(this.#root, capability, user, dedupeKey);
    if (await createWhole(marker, id)) {
      this.#step("dedupe-marked");
      return undefined;
    }
    const first = (await readPlainText(marker, MARKER_MAX_BYTES)) ?? id;
    return first === id ? undefined : `trigger ${first} has the same dedupe_key`;
  }

  async #moveTo(state: TriggerState, capability: string, id: string, from: string): Promise<boolean> {
    const folder = join(this.#root, capability);
    switch (state.status) {
      case "pending":
        return moveIfThere(from, join(folder, pendingName({ stem: id, ...state })));
      case "failed":
        await this.#forgetKey(from, capability);
        return this.#setAside("failed", from, capability, id, state.reason, state.attempts);
      case "done":
        return moveIfThere(from, join(folder, STATE_FOLDERS.done, `${id}.json`));
      default:
        return false;
    }
  }

  /** A trigger that failed permanently must not block the next one with its key. */
  async #forgetKey(path: string, capability: string): Promise<void> {
    const read = readTrigger((await readPlainText(path, TRIGGER_MAX_BYTES)) ?? "");
    if (!read.ok || read.value.dedupe_key === undefined) return;
    await rm(dedupeMarker(this.#root, capability, read.value.user, read.value.dedupe_key), { force: true });
  }

  /** The reason is written first: a file in the folder always has one. */
  async #setAside(
    status: "failed" | "deduped" | "invalid",
    from: string,
    capability: string,
    name: string,
    reason: string,
    attempts = 0,
  ): Promise<boolean> {
    const folder = join(this.#root, capability, STATE_FOLDERS[status]);
    const at = new Date(this.#now()).toISOString();
    await writeWhole(join(folder, `${name}.reason.json`), JSON.stringify({ reason, attempts, at }));
    return moveIfThere(from, join(folder, `${name}.json`));
  }

  #moment() {
    return { policy: this.#policy, nowMs: this.#now() };
  }
}

export function dedupeMarker(root: string, capability: string, user: string, key: string): string {
  const hash = createHash("sha256")
    .update(JSON.stringify([user.toLowerCase(), key]))
    .digest("hex");
  return join(root, capability, "_dedupe", hash);
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
