/** SQL of monitors. */
import { leasedStatements } from "../replays/leased-statements.ts";

const TODAY = "date_trunc('day', now(), 'UTC')";

export const LEASED = leasedStatements({
  parents: "monitors",
  items: "monitor_scores",
  parent: "monitor_id",
  counted: `s.ended_at >= ${TODAY}`,
  ready: "exists (select 1 from runs r where r.id = i.run_id and r.status in ('done', 'failed'))",
  isEndless: true,
  claimed: `i.run_id as "runId", o.agent_id as "agentId", o.owner as "user", o.scorers, o.scrub`,
});

/**
 * New runs, each decided on once by its id and the monitor's: every process decides the same. A run that has not ended is kept
 * until it has. $1: runs that started before this are in the store by now, whichever process started them. $2: a minute earlier.
 */
export const FIND = `with found as (insert into monitor_scores(id, monitor_id, run_id, position)
    select gen_random_uuid(), m.id, r.id, extract(epoch from now())::int
    from monitors m join runs r on r.id >= m.scanned_to and r.agent_id = m.agent_id::text
      join sessions s on s.id = r.session_id
    where m.status = 'running' and r.parent_run_id is null and r.status <> 'cancelled'
      and (m.everybody or s.owner = m.owner)
      and (hashtextextended(r.id::text || m.id::text, 0) & 1048575) < m.share / 100 * 1048576
    on conflict (monitor_id, run_id) do nothing)
  update monitors set scanned_to = $1 where status = 'running' and scanned_to < $2`;
export const DROP_CANCELLED = `delete from monitor_scores i using runs r
  where r.id = i.run_id and i.status = 'queued' and r.status = 'cancelled'`;

/** $1 score, $2 epoch, $3 status, $4 revision, $5 scores, $6 failure, $7 tokens, $8 cost. */
export const END = `with ended as (update monitor_scores set status = $3, revision = $4, scores = $5, failure = $6,
      tokens = $7, cost_usd = $8, lease_until = null, ended_at = now()
    where id = $1 and epoch = $2 and status = 'running' returning monitor_id, revision, status),
  counted as (insert into monitor_revisions as c (monitor_id, revision, scored)
    select monitor_id, revision, 1 from ended where status = 'done' and revision is not null
    on conflict (monitor_id, revision) do update set scored = c.scored + 1)
  select 1 from ended`;

const COLUMNS = `m.id, m.owner, m.everybody, m.name, m.agent_id as "agentId", m.scorers, m.share, m.budget_usd as "budgetUsd", m.scrub,
  m.every_runs as "everyRuns", m.drop, m.webhook_url as "webhookUrl", m.status, m.created_at as "createdAt",
  m.updated_at as "updatedAt",
  (select coalesce(sum(cost_usd), 0)::float8 from monitor_scores s where s.monitor_id = m.id
    and s.ended_at >= ${TODAY}) as "spentTodayUsd",
  (select coalesce(json_object_agg(status, n), '{}') from (select status, count(*)::int as n from monitor_scores
    where monitor_id = m.id group by status) c) as runs,
  (select count(*)::int from monitor_alerts a where a.monitor_id = m.id and a.acknowledged_at is null) as "openAlerts"`;

export const GET = `select ${COLUMNS} from monitors m where m.id = $1`;
/** $1 owner or null, $2 ids before this one, $3 agent or null, $4 status or null, $5 text or null, $6 limit. */
export const LIST = `select ${COLUMNS} from monitors m where ($1::text is null or m.owner = $1)
  and ($2::uuid is null or m.id < $2) and ($3::text is null or m.agent_id::text = $3) and ($4::text is null or m.status = $4)
  and ($5::text is null or strpos(lower(m.name), lower($5)) > 0) order by m.id desc limit $6`;

export const CREATE = `insert into monitors(id, owner, everybody, name, agent_id, scorers, share, budget_usd, scrub, every_runs, drop,
    webhook_url, concurrency, scanned_to) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`;
/** A resumed monitor continues with new runs. $2 name, $3 share, $4 budget, $5 every, $6 drop, $7 webhook, $8 status, $9 from when. */
export const CHANGE = `update monitors set name = $2, share = $3, budget_usd = $4, every_runs = $5, drop = $6, webhook_url = $7,
    scanned_to = case when status = 'paused' and $8 = 'running' then $9::uuid else scanned_to end, status = $8, updated_at = now()
  where id = $1`;
export const REMOVE = "delete from monitors where id = $1";

/** $1 monitor, $2 owner of the sessions or null, $3 revision or null, $4 before this id, $5 limit. */
export const SCORES = `select i.id, i.run_id as "runId", r.session_id as "sessionId", i.revision, i.status, i.scores, i.failure, i.tokens,
    i.cost_usd as "costUsd", i.ended_at as "endedAt"
  from monitor_scores i join runs r on r.id = i.run_id join sessions s on s.id = r.session_id
  where i.monitor_id = $1 and ($2::text is null or s.owner = $2) and ($3::int is null or i.revision = $3)
    and ($4::uuid is null or i.run_id < $4) order by i.run_id desc limit $5`;

/** The newest scores of the newest revisions. $1 monitor, $2 how many of each revision. */
export const BY_REVISION = `select revision, scores from (
    select revision, scores, row_number() over (partition by revision order by ended_at desc, id) as n,
      dense_rank() over (order by revision desc) as newest
    from monitor_scores where monitor_id = $1 and status = 'done' and revision is not null) x
  where n <= $2 and newest <= 10 order by revision desc`;

const ALERT_COLUMNS = `a.id, a.monitor_id as "monitorId", a.scorer, a.revision, a.against, a.finding, a.acknowledged_by as "acknowledgedBy",
  a.acknowledged_at as "acknowledgedAt", a.status as delivery, a.last_error as "lastError", a.created_at as "createdAt"`;
/** $1 monitor, $2 before this id, $3 limit. */
export const ALERTS = `select ${ALERT_COLUMNS} from monitor_alerts a where a.monitor_id = $1
  and ($2::uuid is null or a.id < $2) order by a.id desc limit $3`;
/** $1 monitor, $2 alert, $3 who. */
export const ACKNOWLEDGE = `update monitor_alerts a set acknowledged_by = coalesce(a.acknowledged_by, $3),
    acknowledged_at = coalesce(a.acknowledged_at, now()) where a.monitor_id = $1 and a.id = $2 returning ${ALERT_COLUMNS}`;
export const COUNT_OPEN_ALERTS =
  "select count(*)::int as count from monitor_alerts where acknowledged_at is null";

/** Revisions with enough new scores for another look. */
export const DUE_LOOKS = `select c.monitor_id as "monitorId", c.revision from monitor_revisions c
  join monitors m on m.id = c.monitor_id where c.scored / m.every_runs > c.looks limit 50`;
/** Holds the row: one process looks. $1 monitor, $2 revision. */
export const TAKE_LOOK = `select c.scored, m.id, m.name, m.agent_id as "agentId", m.scorers, m.every_runs as "everyRuns", m.drop,
    m.webhook_url as "webhookUrl", (select max(b.revision) from monitor_revisions b where b.monitor_id = c.monitor_id
      and b.revision < c.revision and b.scored >= m.every_runs) as against
  from monitor_revisions c join monitors m on m.id = c.monitor_id
  where c.monitor_id = $1 and c.revision = $2 and c.scored / m.every_runs > c.looks for update of c`;
export const LOOKED = "update monitor_revisions set looks = $3 where monitor_id = $1 and revision = $2";
/** $1 monitor, $2 revision, $3 how many. */
export const NEWEST_SCORES = `select scores from monitor_scores where monitor_id = $1 and revision = $2 and status = 'done'
  order by ended_at desc, id limit $3`;
/** $1 id, $2 monitor, $3 scorer, $4 revision, $5 against, $6 finding, $7 url or null, $8 payload. */
export const RAISE = `insert into monitor_alerts(id, monitor_id, scorer, revision, against, finding, url, payload, status)
  values ($1, $2, $3, $4, $5, $6, coalesce($7, ''), $8, case when $7::text is null then 'none' else 'due' end)
  on conflict (monitor_id, scorer, revision) do nothing`;
