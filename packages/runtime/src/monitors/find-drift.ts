/**
 * Looks for drift when a revision has enough new scores. A look holds the revision's row and stores its alerts with the number of
 * checks in one commit: several processes, or one that is killed, check once and raise each alert once.
 */
import { driftOf, type ScorerSpec, scorerName } from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import { inTransaction } from "../db/transaction.ts";
import type { StoredScore } from "../experiments/score-run.ts";
import * as statements from "./monitor-statements.ts";
import type { DriftFinding } from "./monitor-store.ts";

const COMPARED_RUNS = 1_000; // of each revision, the newest
const LEAST_RUNS = 5; // a scorer that failed on most runs says nothing

export interface DriftAlert {
  readonly id: string;
  readonly monitorId: string;
  readonly monitor: string;
  readonly agentId: string;
  readonly scorer: string;
  readonly revision: number;
  readonly against: number;
  readonly finding: DriftFinding;
}

interface Look {
  readonly scored: number;
  readonly id: string;
  readonly name: string;
  readonly agentId: string;
  readonly scorers: readonly ScorerSpec[];
  readonly everyRuns: number;
  readonly drop: number;
  readonly webhookUrl: string | null;
  readonly against: number | null;
}

/** Makes every check that is due and returns the alerts raised. */
export async function findDrift(pool: pg.Pool, now: () => Date): Promise<DriftAlert[]> {
  const { rows } = await pool.query<{ monitorId: string; revision: number }>(statements.DUE_LOOKS);
  const raised: DriftAlert[] = [];
  for (const { monitorId, revision } of rows)
    raised.push(...(await inTransaction(pool, (client) => lookAt(client, monitorId, revision, now()))));
  return raised;
}

async function lookAt(
  client: pg.PoolClient,
  monitorId: string,
  revision: number,
  at: Date,
): Promise<DriftAlert[]> {
  const { rows } = await client.query<Look>(statements.TAKE_LOOK, [monitorId, revision]);
  const [look] = rows;
  if (!look) return []; // another process has checked
  const number = Math.floor(look.scored / look.everyRuns);
  await client.query(statements.LOOKED, [monitorId, revision, number]);
  const { against } = look;
  if (against === null) return [];
  const [before, after] = [
    await scoresOf(client, monitorId, against),
    await scoresOf(client, monitorId, revision),
  ];
  const raised: DriftAlert[] = [];
  for (const scorer of look.scorers.map(scorerName)) {
    const finding = findingOf(look, number, before.get(scorer) ?? [], after.get(scorer) ?? []);
    const alert = finding && alertOf(look, { scorer, revision, against, finding });
    if (alert && (await store(client, alert, look, at))) raised.push(alert);
  }
  return raised;
}

async function scoresOf(client: pg.PoolClient, monitorId: string, revision: number) {
  const values = [monitorId, revision, COMPARED_RUNS];
  const { rows } = await client.query<{ scores: readonly StoredScore[] }>(statements.NEWEST_SCORES, values);
  const known = rows.flatMap(({ scores }) => scores.filter(({ score }) => score !== null));
  const byScorer = Map.groupBy(known, ({ scorer }) => scorer);
  return new Map([...byScorer].map(([name, each]) => [name, each.map(({ score }) => score ?? 0)]));
}

function findingOf(
  { scorers, drop }: Look,
  look: number,
  before: readonly number[],
  after: readonly number[],
): DriftFinding | undefined {
  if (before.length < LEAST_RUNS || after.length < LEAST_RUNS) return undefined;
  const found = driftOf({ before, after, look, scorers: scorers.length, drop });
  if (!found.isDrift) return undefined;
  return {
    before: { mean: found.before, runs: before.length },
    after: { mean: found.after, runs: after.length },
    p: found.p,
    level: found.level,
  };
}

const alertOf = (
  { id, name, agentId }: Look,
  found: Pick<DriftAlert, "scorer" | "revision" | "against" | "finding">,
): DriftAlert => ({ id: uuidv7(), monitorId: id, monitor: name, agentId, ...found });

/** False when this revision has the alert already. */
async function store(
  client: pg.PoolClient,
  alert: DriftAlert,
  { webhookUrl }: Look,
  at: Date,
): Promise<boolean> {
  const { id, monitorId, scorer, revision, against, finding } = alert;
  const { rowCount } = await client.query(statements.RAISE, [
    id,
    monitorId,
    scorer,
    revision,
    against,
    JSON.stringify(finding),
    webhookUrl,
    JSON.stringify(payloadOf(alert, at)),
  ]);
  return rowCount === 1;
}

/** The body of the webhook. */
const payloadOf = (
  { id, monitorId, monitor, agentId, scorer, revision, against, finding }: DriftAlert,
  at: Date,
) => ({
  type: "monitor.drift",
  id,
  monitor: { id: monitorId, name: monitor },
  agent_id: agentId,
  scorer,
  revision,
  against,
  ...finding,
  at: at.toISOString(),
});
