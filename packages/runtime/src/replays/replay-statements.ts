/** SQL of replays. */
import { leasedStatements } from "./leased-statements.ts";

export const LEASED = leasedStatements({
  parents: "replays",
  items: "replay_items",
  parent: "replay_id",
  claimed: `o.owner, i.run_id as "runId", o.change, o.stand_ins as "standIns", o.live_reads as "liveReads"`,
});

const COUNTS = `(select coalesce(json_object_agg(status, n), '{}') from (select status, count(*)::int as n from replay_items
      where replay_id = p.id group by status) c) as items,
    (select coalesce(json_object_agg(verdict, n), '{}') from (select verdict, count(*)::int as n from replay_items
      where replay_id = p.id and verdict is not null group by verdict) c) as verdicts,
    (select coalesce(sum(tokens), 0)::float8 from replay_items where replay_id = p.id) as tokens,
    (select coalesce(sum(cost_usd), 0)::float8 from replay_items where replay_id = p.id) as "costUsd"`;
const COLUMNS = `p.id, p.owner, p.status, p.change, p.stand_ins as "standIns", p.live_reads as "liveReads", p.concurrency,
    p.budget_usd as "budgetUsd", p.created_at as "createdAt", p.ended_at as "endedAt"`;

/** $1 id, $2 owner, $3 change, $4 stand-ins, $5 live reads, $6 concurrency, $7 budget, $8 [{id, run_id, position}]. */
export const CREATE = `with made as (insert into replays(id, owner, change, stand_ins, live_reads, concurrency, budget_usd)
    values ($1, $2, $3, $4, $5, $6, $7) returning id)
  insert into replay_items(id, replay_id, run_id, position)
  select i.id, (select id from made), i.run_id, i.position
  from json_to_recordset($8::json) as i(id uuid, run_id uuid, position int)`;

export const GET = `select ${COLUMNS}, ${COUNTS} from replays p where p.id = $1`;

/** $1 owner, $2 ids before this one, $3 agent, $4 status, $5 text (or null each), $6 limit. */
export const LIST = `select ${COLUMNS}, ${COUNTS} from replays p
  where ($1::text is null or p.owner = $1) and ($2::uuid is null or p.id < $2)
    and ($3::text is null or exists (select 1 from replay_items i join runs r on r.id = i.run_id
      where i.replay_id = p.id and r.agent_id = $3)) and ($4::text is null or p.status = $4)
    and ($5::text is null or strpos(lower(concat_ws(' ', p.change->>'model', p.change->>'systemPrompt')), lower($5)) > 0)
  order by p.id desc limit $6`;

const ITEM_COLUMNS = `i.id, i.position, i.run_id as "runId", r.session_id as "sessionId", i.status, i.verdict, i.comparison,
  i.failure`;
const OF_ITEMS = "from replay_items i join runs r on r.id = i.run_id join sessions s on s.id = r.session_id";
/** $1 replay, $2 owner of the sessions or null, $3 verdict or null, $4 after this position, $5 limit. */
export const ITEMS = `select ${ITEM_COLUMNS} ${OF_ITEMS} where i.replay_id = $1 and ($2::text is null or s.owner = $2)
    and ($3::text is null or i.verdict = $3) and i.position > $4 order by i.position limit $5`;
/** $1 replay, $2 owner of the session or null, $3 run. */
export const ITEM = `select ${ITEM_COLUMNS}, i.messages ${OF_ITEMS}
  where i.replay_id = $1 and ($2::text is null or s.owner = $2) and i.run_id = $3`;

export const REMOVE = "delete from replays where id = $1";

/** $1 item, $2 epoch, $3 status, $4 verdict, $5 comparison, $6 messages, $7 failure, $8 tokens, $9 cost. */
export const END = `update replay_items set status = $3, verdict = $4, comparison = $5, messages = $6, failure = $7,
    tokens = $8, cost_usd = $9, lease_until = null, ended_at = now()
  where id = $1 and epoch = $2 and status = 'running'`;
