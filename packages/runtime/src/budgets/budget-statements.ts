/**
 * SQL of budgets. A day, week or month begins at midnight in the budget's time zone; an hour takes sixty minutes when the
 * clocks are set back, too. `$now` is always a parameter.
 */

const start = (budget: string, now: string): string =>
  `date_trunc(${budget}.period, ${now}::timestamptz, ${budget}.time_zone)`;
const end = (budget: string, now: string): string =>
  `case when ${budget}.period in ('minute', 'hour') then ${start(budget, now)} + ('1 ' || ${budget}.period)::interval
    else (date_trunc(${budget}.period, ${now}::timestamptz at time zone ${budget}.time_zone)
      + ('1 ' || ${budget}.period)::interval) at time zone ${budget}.time_zone end`;

/** $1 [{id, subject, amount}], $2 now. In the order of ids, so that two processes lock rows in the same order. */
const WANTED = `wanted as (select b.id, w.subject, w.amount, b.amount as most, b.measure, b.at_limit, ${start("b", "$2")} as starts_at
    from json_to_recordset($1::json) as w(id uuid, subject text, amount float8) join budgets b on b.id = w.id
    order by b.id)`;

const HAS_ROOM = `p.spent + p.reserved < p.extra + (select most from wanted where wanted.id = p.budget_id)`;

/** Reserves while anything is left: the limit is exceeded by one reservation at most, however many ask at once. $3 run. */
export const RESERVE = `with ${WANTED},
  taken as (insert into budget_periods as p (budget_id, subject, starts_at, reserved)
    select id, subject, starts_at, amount from wanted
    on conflict (budget_id, subject, starts_at) do update set reserved = p.reserved + excluded.reserved
      where ${HAS_ROOM} returning p.budget_id),
  kept as (insert into budget_reservations(run_id, budget_id, subject, starts_at, measure, amount)
    select $3::uuid, id, subject, starts_at, measure, amount from wanted where id in (select budget_id from taken))
  select budget_id as id from taken`;

/** Counts one call. $3: a person has approved it, so it counts even above the limit of a budget that asks. */
export const COUNT_CALL = `with ${WANTED}
  insert into budget_periods as p (budget_id, subject, starts_at, spent)
    select id, subject, starts_at, amount from wanted
    on conflict (budget_id, subject, starts_at) do update set spent = p.spent + excluded.spent
      where ${HAS_ROOM} or ($3::boolean and (select at_limit from wanted where wanted.id = p.budget_id) = 'ask')
    returning p.budget_id as id, p.subject, p.starts_at as "startsAt", p.spent, p.alerted`;

/** Ends reservations and counts the spending. Locks rows in the order of ids, as `WANTED` does. */
const endReservations = (which: string, spent: string): string => `with gone as (
    delete from budget_reservations r where ${which} returning r.*),
  held as materialized (select p.budget_id, p.subject, p.starts_at, g.amount, g.measure from budget_periods p
    join gone g on p.budget_id = g.budget_id and p.subject = g.subject and p.starts_at = g.starts_at
    order by p.budget_id, p.subject for no key update of p),
  ended as (select budget_id, subject, starts_at, sum(amount) as amount, sum(${spent}) as spent
    from held g group by 1, 2, 3)
  update budget_periods p set reserved = greatest(0, p.reserved - e.amount), spent = p.spent + e.spent
    from ended e where p.budget_id = e.budget_id and p.subject = e.subject and p.starts_at = e.starts_at
    returning p.budget_id as id, p.subject, p.starts_at as "startsAt", p.spent, p.alerted`;

/** $1 run, $2 US dollars, $3 tokens. Null is unknown: then the reservation counts. */
export const SETTLE = endReservations(
  "r.run_id = $1",
  "coalesce(case g.measure when 'cost_usd' then $2::float8 else $3::float8 end, g.amount)",
);
export const RELEASE = endReservations("r.run_id = $1", "0");

/**
 * Reservations that a crash or a cancel left behind. A running run replaces its own. A call outside a run (a summary, a judge, a
 * tool that asks a model) has no row that tells whether it still goes on, only its id, which is as old as the call. $1 budgets,
 * $2 the oldest id of such a call that may still continue.
 */
export const RELEASE_STALE = endReservations(
  `(r.run_id, r.budget_id) in (select s.run_id, s.budget_id from budget_reservations s where s.budget_id = any($1)
      and not exists (select 1 from runs where runs.id = s.run_id and runs.status = 'running')
      and not exists (select 1 from replay_items i where i.id = s.run_id and i.status = 'running')
      and not exists (select 1 from experiment_cells c where c.id = s.run_id and c.status = 'running')
      and not exists (select 1 from monitor_scores m where m.id = s.run_id and m.status = 'running')
      and (s.run_id < $2::uuid or exists (select 1 from runs where runs.id = s.run_id)
        or exists (select 1 from replay_items i where i.id = s.run_id)
        or exists (select 1 from experiment_cells c where c.id = s.run_id)
        or exists (select 1 from monitor_scores m where m.id = s.run_id))
    for update skip locked)`,
  "0",
);

/** A row for the one process that raises this alert; its webhook is sent later. $1 budget, $2 subject, $3 start, $4 percent, $5 id, $6 body. */
export const RAISE_ALERT = `with raised as (update budget_periods set alerted = $4 where budget_id = $1 and subject = $2
    and starts_at = $3 and alerted < $4 returning budget_id),
  due as (insert into budget_deliveries(id, budget_id, url, payload)
    select $5::uuid, b.id, b.webhook_url, $6::json from raised join budgets b on b.id = raised.budget_id
    where b.webhook_url is not null)
  select 1 from raised`;

/** $1 budget, $2 subject, $3 start, $4 how much more. */
export const ALLOW_MORE = `update budget_periods set extra = extra + $4 where budget_id = $1 and subject = $2
  and starts_at = $3`;

/** Spending of each budget in the current period, highest first. $1 now, $2 one budget or null, $3 one subject or null. */
export const STATES = `select b.id, p.subject, p.spent, p.reserved, p.extra, p.alerted,
    ${start("b", "$1")} as "startsAt", ${end("b", "$1")} as "endsAt"
  from budgets b left join budget_periods p on p.budget_id = b.id and p.starts_at = ${start("b", "$1")}
    and ($3::text is null or p.subject = $3)
  where $2::uuid is null or b.id = $2 order by p.spent desc nulls last limit 1000`;

/** Everything used so far, as one table. */
const USED = `(
    select hour as at, agent_id, user_email, null as capability_id, cost_usd, input_tokens + output_tokens as tokens,
      0 as calls from usage_hours
    union all select at, agent_id, user_email, null, coalesce(cost_usd, 0), input_tokens + output_tokens, 0 from usage_fresh
    union all select hour, agent_id, user_email, capability_id, 0, 0, calls from tool_hours)`;

/** A new budget starts with what was already spent in its period. $1 budget, $2 now. */
export const FILL = `insert into budget_periods(budget_id, subject, starts_at, spent)
  select b.id, case b.for_each when 'user' then u.user_email when 'agent' then u.agent_id else '' end,
    ${start("b", "$2")}, sum(case b.measure when 'cost_usd' then u.cost_usd when 'tokens' then u.tokens else u.calls end)
  from budgets b join ${USED} u on u.at >= ${start("b", "$2")}
    and (b.agent_id is null or b.agent_id::text = u.agent_id) and (b.user_email is null or b.user_email = u.user_email)
    and (b.capability_id is null or b.capability_id = u.capability_id)
  where b.id = $1 group by 1, 2, 3
  on conflict (budget_id, subject, starts_at) do nothing`;
