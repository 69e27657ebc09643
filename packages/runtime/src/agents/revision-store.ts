/**
 * The history of agents: every state one was saved in, and the labels on them. Which revision is live is the agent's own
 * version; `draft` and `canary` are rows.
 */
import { createHash } from "node:crypto";
import { fail, ok, type Result } from "@capstan/core";
import {
  type CapabilityPin,
  type Follows,
  isInShare,
  REVISION_LABELS,
  type RevisionLabel,
} from "@capstan/core/internal";
import { and, desc, eq, inArray } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { agentLabels, agentRevisions, agents } from "../db/schema/agent-tables.ts";
import { isUuid } from "../db/uuid.ts";
import type { ConfigSeal } from "../users/config-seal.ts";
import { type AgentInput, type AgentRecord, agentRecord } from "./agent-record.ts";
import { type AgentChange, addRevision, hasRevision, keepLive, type Orm, writeLive } from "./agent-rows.ts";
import { type RevisionFigures, readFigures } from "./revision-figures.ts";

export interface RevisionSummary {
  readonly number: number;
  readonly by: string;
  readonly at: Date;
  readonly why: string;
  readonly label?: RevisionLabel;
}

export interface Revision extends RevisionSummary {
  /** The agent at that revision; its version is the revision's number. */
  readonly agent: AgentRecord;
  /** Unknown for agents saved before revisions were kept. */
  readonly pins: readonly CapabilityPin[] | null;
  readonly tokens: { readonly prompt: number; readonly tools: number; readonly total: number } | null;
}

export interface LabelRecord {
  readonly label: RevisionLabel;
  readonly revision: number;
  /** Percent of new sessions. */
  readonly share: number;
  readonly figures: RevisionFigures;
}

export interface RevisionStore {
  /** Newest first. */
  list(agentId: string): Promise<Result<RevisionSummary[]>>;
  get(agentId: string, number: number): Promise<Result<Revision>>;
  /** Saved but not live: it has the label `draft`. */
  addDraft(agentId: string, input: AgentInput, change: AgentChange): Promise<Result<Revision>>;
  /** Makes an existing revision live. */
  promote(agentId: string, number: number): Promise<Result<AgentRecord>>;
  setLabel(
    agentId: string,
    to: { label: "draft" | "canary"; number: number; share: number; by: string },
  ): Promise<Result<true>>;
  removeLabel(agentId: string, label: "draft" | "canary"): Promise<void>;
  /** The revision of each label, and the outcomes of its runs. */
  labels(agentId: string): Promise<Result<LabelRecord[]>>;
  /** The revision that a session or token uses; undefined for the live one. */
  readFollowed(follows: Follows | null | undefined): Promise<Result<AgentRecord> | undefined>;
  /** What a new session follows: the canary, for its share of sessions. */
  assign(agentId: string, sessionId: string): Promise<Follows | undefined>;
}

const KEPT_MS = 500; // a new share applies within a second, and a new session costs no query
type Row = typeof agentRevisions.$inferSelect;

export function revisionStore(database: Database, seal: ConfigSeal["seal"]): RevisionStore {
  const { orm, policyChanges } = database;
  let canaries: { at: number; shares: Promise<ReadonlyMap<string, number>> } | undefined;
  const shares = (): Promise<ReadonlyMap<string, number>> => {
    if (canaries && performance.now() - canaries.at < KEPT_MS) return canaries.shares;
    const read = readShares(orm);
    canaries = { at: performance.now(), shares: read };
    read.catch(() => {
      canaries = undefined;
    });
    return read;
  };
  policyChanges.onChange(() => {
    canaries = undefined;
  });
  const get = (agentId: string, number: number) => readRevision(orm, agentId, number);
  return {
    get,
    list: (agentId) => listRevisions(orm, agentId),
    async addDraft(agentId, input, change) {
      if (!isUuid(agentId)) return fail("not_found", { what: "agent", id: agentId });
      const number = await orm.transaction(async (tx) => {
        await keepLive(tx, agentId);
        const added = await addRevision(tx, agentId, input, change, seal);
        await putLabel(tx, agentId, { label: "draft", number: added, share: 0, by: change.by });
        return added;
      });
      await policyChanges.announce();
      return get(agentId, number);
    },
    async promote(agentId, number) {
      const promoted = await makeLive(orm, agentId, number, seal);
      await policyChanges.announce();
      return promoted;
    },
    async setLabel(agentId, to) {
      const found = await get(agentId, to.number);
      if (!found.ok) return found;
      if (found.value.label === "live")
        return fail("conflict", {
          message: `Revision ${to.number} is the live one.`,
          nextStep: `Choose another revision for "${to.label}", or make another one live first.`,
        });
      await orm.transaction(async (tx) => {
        await unlabel(tx, agentId, to.number);
        await putLabel(tx, agentId, to);
      });
      await policyChanges.announce();
      return ok(true);
    },
    async removeLabel(agentId, label) {
      await orm
        .delete(agentLabels)
        .where(and(eq(agentLabels.agentId, agentId), eq(agentLabels.label, label)));
      await policyChanges.announce();
    },
    labels: (agentId) => readLabels(database, agentId),
    readFollowed: (follows) => followedAgent(orm, follows),
    async assign(agentId, sessionId) {
      const share = (await shares()).get(agentId);
      return share !== undefined && isInShare(hashOf(sessionId), share)
        ? { agentId, label: "canary" }
        : undefined;
    },
  };
}

async function makeLive(
  orm: Database["orm"],
  agentId: string,
  number: number,
  seal: ConfigSeal["seal"],
): Promise<Result<AgentRecord>> {
  const found = await readRevision(orm, agentId, number);
  if (!found.ok) return found;
  await orm.transaction(async (tx) => {
    await keepLive(tx, agentId);
    await writeLive(tx, agentId, { number, input: found.value.agent, seal });
    await unlabel(tx, agentId, number); // the live revision is no longer a draft or canary
  });
  const now = await readRevision(orm, agentId, number);
  return now.ok ? ok(now.value.agent) : now;
}

/** A revision has one label. */
async function unlabel(orm: Orm, agentId: string, number: number): Promise<void> {
  await orm.delete(agentLabels).where(and(eq(agentLabels.agentId, agentId), eq(agentLabels.number, number)));
}

const hashOf = (id: string): number => createHash("sha256").update(id).digest().readUInt32BE(0);

async function readShares(orm: Orm): Promise<ReadonlyMap<string, number>> {
  const rows = await orm.select().from(agentLabels).where(eq(agentLabels.label, "canary"));
  return new Map(rows.map(({ agentId, share }) => [agentId, share]));
}

async function putLabel(
  orm: Orm,
  agentId: string,
  { label, number, share, by }: { label: "draft" | "canary"; number: number; share: number; by: string },
): Promise<void> {
  await orm
    .insert(agentLabels)
    .values({ agentId, label, number, share, by })
    .onConflictDoUpdate({
      target: [agentLabels.agentId, agentLabels.label],
      set: { number, share, by, at: new Date() },
    });
}

async function listRevisions(orm: Database["orm"], agentId: string): Promise<Result<RevisionSummary[]>> {
  const live = await liveOf(orm, agentId);
  if (!live) return fail("not_found", { what: "agent", id: agentId });
  await orm.transaction((tx) => keepLive(tx, agentId));
  const [rows, labels] = await Promise.all([
    orm
      .select()
      .from(agentRevisions)
      .where(eq(agentRevisions.agentId, agentId))
      .orderBy(desc(agentRevisions.number)),
    labelsOf(orm, agentId, live.version),
  ]);
  return ok(rows.map((row) => summaryOf(row, labels)));
}

async function readRevision(
  orm: Database["orm"],
  agentId: string,
  number: number,
): Promise<Result<Revision>> {
  const live = await liveOf(orm, agentId);
  if (!live) return fail("not_found", { what: "agent", id: agentId });
  if (number === live.version && !(await hasRevision(orm, agentId, number)))
    await orm.transaction((tx) => keepLive(tx, agentId));
  const [row] = await orm
    .select()
    .from(agentRevisions)
    .where(and(eq(agentRevisions.agentId, agentId), eq(agentRevisions.number, number)));
  if (!row) return fail("not_found", { what: "revision", id: String(number) });
  const labels = await labelsOf(orm, agentId, live.version);
  return ok({
    ...summaryOf(row, labels),
    agent: agentOf(row, live),
    pins: row.pins as Revision["pins"], // written only by `addRevision`
    tokens: row.tokens as Revision["tokens"],
  });
}

type Live = typeof agents.$inferSelect;

async function liveOf(orm: Orm, agentId: string): Promise<Live | undefined> {
  if (!isUuid(agentId)) return undefined;
  const [row] = await orm.select().from(agents).where(eq(agents.id, agentId));
  return row;
}

const summaryOf = (
  { number, by, at, why }: Row,
  labels: ReadonlyMap<number, RevisionLabel>,
): RevisionSummary => {
  const label = labels.get(number);
  return { number, by, at, why, ...(label && { label }) };
};

/** An agent at an earlier revision, with the live agent's identity and owner. */
function agentOf(row: Row, live: Live): AgentRecord {
  const {
    agentId,
    number,
    by: author,
    at,
    why: _why,
    capabilities,
    pins: _pins,
    tokens: _tokens,
    ...columns
  } = row;
  const { id, owner, status, createdAt } = live;
  const refs = capabilities as { id: string; config?: unknown; prefix?: string; version?: string }[];
  return agentRecord(
    { ...columns, id, owner, author, status, createdAt, version: number, updatedAt: at },
    refs.map((ref) => ({
      capabilityId: ref.id,
      config: ref.config,
      prefix: ref.prefix ?? null,
      version: ref.version ?? null,
    })),
  );
}

async function labelsOf(
  orm: Orm,
  agentId: string,
  live: number,
): Promise<ReadonlyMap<number, RevisionLabel>> {
  const rows = await orm.select().from(agentLabels).where(eq(agentLabels.agentId, agentId));
  const named = rows.map(({ number, label }) => [number, label as RevisionLabel] as const);
  return new Map([...named, [live, "live"]]);
}

async function readLabels(database: Database, agentId: string): Promise<Result<LabelRecord[]>> {
  const live = await liveOf(database.orm, agentId);
  if (!live) return fail("not_found", { what: "agent", id: agentId });
  const rows = await database.orm.select().from(agentLabels).where(eq(agentLabels.agentId, agentId));
  const canary = rows.find(({ label }) => label === "canary")?.share ?? 0;
  const all = [{ label: "live", number: live.version, share: 100 - canary }, ...rows];
  const figures = await readFigures(
    database,
    agentId,
    all.map(({ number }) => number),
  );
  return ok(
    all
      .map(({ label, number, share }) => ({
        label: label as RevisionLabel,
        revision: number,
        share,
        figures: figures(number),
      }))
      .sort((a, b) => REVISION_LABELS.indexOf(a.label) - REVISION_LABELS.indexOf(b.label)),
  );
}

/** If the label or revision no longer exists, the live agent is used. */
async function followedAgent(
  orm: Database["orm"],
  follows: Follows | null | undefined,
): Promise<Result<AgentRecord> | undefined> {
  if (!follows || follows.label === "live") return undefined;
  const number = follows.revision ?? (await readLabel(orm, follows));
  if (number === undefined) return undefined;
  const found = await readRevision(orm, follows.agentId, number);
  return found.ok ? ok(found.value.agent) : found;
}

async function readLabel(orm: Orm, { agentId, label }: Follows): Promise<number | undefined> {
  if (label === undefined) return undefined;
  const [row] = await orm
    .select({ number: agentLabels.number })
    .from(agentLabels)
    .where(and(eq(agentLabels.agentId, agentId), inArray(agentLabels.label, [label])));
  return row?.number;
}
