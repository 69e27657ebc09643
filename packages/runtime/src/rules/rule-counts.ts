/**
 * Counters of rate-limiting rules: the times of the last calls, one row per rule and subject. They are read before
 * the decision; consuming is one statement that locks the row, so that several processes cannot make the same last
 * call.
 */
import type { RuleCount } from "@capstan/core/internal";
import type pg from "pg";
import type { Database } from "../db/database.ts";
import { inTransaction } from "../db/transaction.ts";

/** A rule that counts a call, and the number of calls before it. */
export interface CountedRule extends RuleCount {
  readonly made: number;
}

export interface RuleCounts {
  /** By rule: the calls in its period, up to `now` if that is in the past. */
  read(counts: readonly RuleCount[], now: Date, isPast: boolean): Promise<ReadonlyMap<string, number>>;
  /** Counts a call for each. False when one of them has filled up in the meantime: then nothing is counted. */
  take(counts: readonly CountedRule[], now: Date): Promise<boolean>;
}

const SECONDS: Readonly<Record<RuleCount["per"], number>> = {
  minute: 60,
  hour: 3_600,
  day: 86_400,
  week: 604_800,
  month: 2_592_000,
};

const ASKED = `asked as (select * from json_to_recordset($1::json)
    as a("ruleId" uuid, subject text, calls int, seconds int, "mustHaveRoom" boolean))`;

const READ = `with ${ASKED}
  select a."ruleId", (select count(*)::int from unnest(c.made_at) t
    where t > $2::timestamptz - make_interval(secs => a.seconds) and (t <= $2 or not $3::boolean)) as made
  from asked a left join rule_counts c on c.rule_id = a."ruleId" and c.subject = a.subject`;

/** Rows are locked in the order of rules, so that two processes never deadlock. More times than the limit are never kept. */
const TAKE = `with ${ASKED}
  insert into rule_counts as c (rule_id, subject, made_at)
    select "ruleId", subject, array[$2::timestamptz] from asked order by "ruleId"
    on conflict (rule_id, subject) do update set made_at = (
      select array_agg(t order by t) from (select t from unnest(c.made_at || $2::timestamptz) t
        where t > $2::timestamptz - make_interval(secs => (select a.seconds from asked a where a."ruleId" = c.rule_id))
        order by t desc limit (select a.calls from asked a where a."ruleId" = c.rule_id)) kept)
    where (select not a."mustHaveRoom" or a.calls > (select count(*) from unnest(c.made_at) t
        where t > $2::timestamptz - make_interval(secs => a.seconds)) from asked a where a."ruleId" = c.rule_id)
    returning 1`;

interface CountRow {
  readonly ruleId: string;
  readonly made: number;
}

export function ruleCounts({ pool }: Pick<Database, "pool">): RuleCounts {
  return {
    async read(counts, now, isPast) {
      const { rows } = await pool.query<CountRow>(READ, [asked(counts), now, isPast]);
      return new Map(rows.map(({ ruleId, made }) => [ruleId, made]));
    },
    async take(counts, now) {
      if (counts.length === 0) return true;
      const take = async (client: Pick<pg.Pool, "query">): Promise<boolean> =>
        (await client.query(TAKE, [asked(counts), now])).rowCount === counts.length;
      if (counts.length === 1) return take(pool);
      return allOrNone(pool, take);
    },
  };
}

const asked = (counts: readonly (RuleCount & { readonly made?: number })[]): string =>
  JSON.stringify(
    counts.map(({ ruleId, subject, calls, per, made = 0 }) => ({
      ruleId,
      subject,
      calls,
      seconds: SECONDS[per],
      // The decision already considered rules without room: the call is made because a person approved it or another rule allows it.
      mustHaveRoom: made < calls,
    })),
  );

class NoRoom extends Error {}

async function allOrNone(pool: pg.Pool, take: (client: pg.PoolClient) => Promise<boolean>): Promise<boolean> {
  try {
    await inTransaction(pool, async (client) => {
      if (!(await take(client))) throw new NoRoom();
    });
    return true;
  } catch (error) {
    if (error instanceof NoRoom) return false;
    throw error;
  }
}

/** Counts of a trial: in memory, initially empty. */
export function trialCounts(): RuleCounts {
  const made = new Map<string, number[]>();
  const key = ({ ruleId, subject }: RuleCount) => `${ruleId} ${subject}`;
  const within = (count: RuleCount, now: Date): number[] =>
    (made.get(key(count)) ?? []).filter((at) => at > now.getTime() - SECONDS[count.per] * 1000);
  return {
    read: async (counts, now) => new Map(counts.map((count) => [count.ruleId, within(count, now).length])),
    async take(counts, now) {
      for (const count of counts)
        made.set(key(count), [...within(count, now), now.getTime()].slice(-count.calls));
      return true;
    },
  };
}
