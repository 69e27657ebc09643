/** SQL of experiments. */
import { leasedStatements } from "../replays/leased-statements.ts";

export const LEASED = leasedStatements({
  parents: "experiments",
  items: "experiment_cells",
  parent: "experiment_id",
  claimed: `o.owner as "user", o.agent_id as "agentId", o.scorers, o.live_reads as "liveReads",
    o.variants->i.variant as variant, (select d.item from dataset_items d where d.row_id = i.row_id) as item`,
});

const COUNTS = `(select coalesce(json_object_agg(status, n), '{}') from (select status, count(*)::int as n from experiment_cells
      where experiment_id = p.id group by status) c) as cells,
    (select coalesce(sum(tokens), 0)::float8 from experiment_cells where experiment_id = p.id) as tokens,
    (select coalesce(sum(cost_usd), 0)::float8 from experiment_cells where experiment_id = p.id) as "costUsd",
    (select coalesce(sum(judge_usd), 0)::float8 from experiment_cells where experiment_id = p.id) as "judgeUsd"`;
const COLUMNS = `p.id, p.owner, p.name, p.dataset_id as "datasetId", p.dataset_version as "datasetVersion", p.agent_id as "agentId",
    p.variants, p.scorers, p.repeats, p.status, p.live_reads as "liveReads", p.concurrency, p.budget_usd as "budgetUsd",
    p.created_at as "createdAt", p.ended_at as "endedAt", (select d.name from datasets d where d.id = p.dataset_id) as "datasetName"`;

/**
 * A cell for each item, variant and repeat. Repeats come last, so that an exhausted budget leaves whole rounds.
 * $1 id, $2 owner, $3 name, $4 dataset, $5 version, $6 agent, $7 variants, $8 scorers, $9 repeats, $10 live reads,
 * $11 concurrency, $12 budget.
 */
export const CREATE = `with made as (insert into experiments(id, owner, name, dataset_id, dataset_version, agent_id, variants, scorers, repeats,
      live_reads, concurrency, budget_usd) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning id)
  insert into experiment_cells(id, experiment_id, row_id, variant, repeat, position)
  select gen_random_uuid(), (select id from made), d.row_id, v, r,
    (row_number() over (order by r, d.position, v))::int - 1
  from dataset_items d, generate_series(0, jsonb_array_length($7::jsonb) - 1) v, generate_series(0, $9::int - 1) r
  where d.dataset_id = $4 and d.from_version <= $5 and (d.to_version is null or d.to_version > $5)`;

export const GET = `select ${COLUMNS}, ${COUNTS} from experiments p where p.id = $1`;
/** $1 owner, $2 ids before this one, $3 dataset, $4 agent, $5 status, $6 text (or null each), $7 limit. */
export const LIST = `select ${COLUMNS}, ${COUNTS} from experiments p where ($1::text is null or p.owner = $1)
  and ($2::uuid is null or p.id < $2) and ($3::uuid is null or p.dataset_id = $3)
  and ($4::text is null or p.agent_id = $4) and ($5::text is null or p.status = $5)
  and ($6::text is null or strpos(lower(p.name), lower($6)) > 0) order by p.id desc limit $7`;
export const REMOVE = "delete from experiments where id = $1";

const REVIEWS = `(select json_agg(json_build_object('scorer', r.scorer, 'by', r.by, 'score', r.score, 'note', r.note, 'at', r.at)
    order by r.at) from experiment_reviews r where r.cell_id = c.id) as reviews`;
const CELL_COLUMNS = `c.id, c.position, d.item_id as "itemId", c.variant, c.repeat, c.status, c.verdict, c.scores, c.failure, c.tokens,
  c.cost_usd as "costUsd", c.judge_usd as "judgeUsd", c.model_ms as "modelMs", c.comparison->'answer'->>'after' as answer,
  c.comparison->'outcome'->>'after' as outcome, c.comparison->'diverged' as diverged, d.source, ${REVIEWS}`;
/** Only what figures are computed from. */
export const SCORES = `select c.id, d.item_id as "itemId", c.variant, c.repeat, c.scores, c.tokens, c.cost_usd as "costUsd", c.model_ms as "modelMs",
    ${REVIEWS}
  from experiment_cells c join dataset_items d on d.row_id = c.row_id where c.experiment_id = $1 and c.status = 'done' order by c.position`;
/** $1 experiment, $2 variant, $3 item, $4 status (or null each), $5 after this position, $6 limit. */
export const CELLS = `select ${CELL_COLUMNS} from experiment_cells c join dataset_items d on d.row_id = c.row_id
  where c.experiment_id = $1 and ($2::int is null or c.variant = $2) and ($3::text is null or d.item_id = $3)
    and ($4::text is null or c.status = $4) and c.position > $5 order by c.position limit $6`;
export const CELL = `select ${CELL_COLUMNS}, c.messages, c.comparison, d.item from experiment_cells c
  join dataset_items d on d.row_id = c.row_id where c.experiment_id = $1 and c.id = $2`;
/** Cells that this person has yet to score. $1 experiment, $2 who, $3 after this position, $4 limit. */
export const TO_REVIEW = `select ${CELL_COLUMNS}, d.item from experiment_cells c join dataset_items d on d.row_id = c.row_id
  where c.experiment_id = $1 and c.status = 'done' and c.position > $3 and exists (select 1 from json_array_elements(c.scores) s
    where s->>'pending' = 'true' and not exists (select 1 from experiment_reviews r
      where r.cell_id = c.id and r.scorer = s->>'scorer' and r.by = $2)) order by c.position limit $4`;
/** $1 id, $2 cell, $3 scorer, $4 by, $5 score, $6 note. */
export const REVIEW = `insert into experiment_reviews(id, cell_id, scorer, by, score, note) values ($1, $2, $3, $4, $5, $6)
  on conflict (cell_id, scorer, by) do update set score = excluded.score, note = excluded.note, at = now()`;

/** $1 cell, $2 epoch, $3 status, $4 verdict, $5 comparison, $6 messages, $7 scores, $8 failure, $9 tokens, $10 cost, $11 judges, $12 ms. */
export const END = `update experiment_cells set status = $3, verdict = $4, comparison = $5, messages = $6, scores = $7, failure = $8,
    tokens = $9, cost_usd = $10, judge_usd = $11, model_ms = $12, lease_until = null, ended_at = now()
  where id = $1 and epoch = $2 and status = 'running'`;
