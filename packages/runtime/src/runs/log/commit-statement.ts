/**
 * The one statement that stores what runs do: messages with what they used, events, approvals and status of a group of runs.
 *
 * The fence is the first CTE: a run with a newer epoch, or one that is not running, contributes no row and is
 * missing from the answer. LATERAL with FOR NO KEY UPDATE makes the plan one index probe per run and holds the row
 * until the commit. `next`: the run has ended and another message is queued. A plain join made Postgres scan the table at 10,000 runs; the updates select rows by
 * `= any(array(...))` for the same reason. Usage is one row for all runs of the group with the same agent, model and user: a row for each
 * message caused half of the growth of a turn's write-ahead log.
 */
const EVERY = `with own as materialized (
    select i.*, held.agent_id from json_to_recordset($1::json) as i(run_id uuid, session_id uuid, epoch int, run json, session json,
      messages json, events json, approvals json, webhook json, summary json)
    cross join lateral (select r.agent_id from runs r where r.id = i.run_id and r.epoch = i.epoch and r.status = 'running'
      for no key update) held),
  run_changes as (update runs r set (status, pending, outcome, usage, owner, attempts, updated_at) =
      (select coalesce(o.run->>'status', r.status), o.run->'pending', o.run->'outcome',
        coalesce(o.run->'usage', r.usage), coalesce(o.run->>'owner', r.owner), 0, now()
      from own o where o.run_id = r.id)
    where r.id = any(array(select run_id from own where run is not null))),
  session_changes as (update sessions s set (status, state, agent_id, metadata, updated_at) =
      (select coalesce(o.session->>'status', s.status), coalesce((o.session->'state')::jsonb, s.state),
        coalesce((o.session->>'agentId')::uuid, s.agent_id),
        s.metadata || coalesce((o.session->'metadata')::jsonb, '{}'), now()
      from own o where o.session_id = s.id)
    where s.id = any(array(select session_id from own where session is not null))),
  new_messages as (insert into messages(session_id, position, id, run_id, role, content, usage)
    select o.session_id, m.position, m.id, o.run_id, m.role, m.content, m.usage
    from own o cross join lateral json_to_recordset(o.messages)
      as m(position int, id text, role text, content json, usage json)
    returning run_id, usage),
  new_events as (insert into events(session_id, first_seq, last_seq, run_id, payload)
    select o.session_id, e.first, e.last, o.run_id, e.payload
    from own o cross join lateral json_to_recordset(o.events) as e(first int, last int, payload json)),`;

/** Of messages, and of what else was paid for. */
const usage = (beside = "") => `
  new_usage as (insert into usage_fresh(agent_id, model, user_email, calls, input_tokens, output_tokens,
      cached_input_tokens, reasoning_tokens, cost_usd)
    select o.agent_id, concat_ws('/', u."provider", coalesce(u."model", 'unknown')),
      coalesce((select s.owner from sessions s where s.id = o.session_id), ''), count(*),
      coalesce(sum(u."inputTokens"), 0), coalesce(sum(u."outputTokens"), 0), coalesce(sum(u."cachedInputTokens"), 0),
      coalesce(sum(u."reasoningTokens"), 0), sum(u."costUsd")
    from (select run_id, usage from new_messages${beside}) paid join own o using (run_id)
    cross join lateral json_to_record(paid.usage) as u("provider" text, "model" text, "inputTokens" float8,
      "outputTokens" float8, "cachedInputTokens" float8, "reasoningTokens" float8, "costUsd" float8)
    where paid.usage is not null group by 1, 2, 3, u."costUsd" is null)`;

const RARE = `,
  new_summaries as (insert into session_summaries(id, session_id, to_position, to_message_id, text, kept, labels, run_id, usage)
    select (o.summary->>'id')::uuid, o.session_id, (o.summary->>'toPosition')::int, o.summary->>'toMessageId',
      o.summary->>'text', o.summary->'kept', (o.summary->'labels')::jsonb, o.run_id, o.summary->'usage'
    from own o where o.summary is not null on conflict do nothing),
  new_approvals as (insert into approvals(id, run_id, session_id, agent_id, user_email, capability_id, tool, call_id,
      arguments, pin, reason, allowable, expiry, expires_at, assignee, assignee_only, kind)
    select a.id, o.run_id, o.session_id, a.agent_id, a.user_email, a.capability_id, a.tool, a.call_id,
      a.arguments, a.pin, a.reason, coalesce(a.allowable, false), a.expiry, a.expires_at, a.assignee, coalesce(a.assignee_only, false),
      coalesce(a.kind, 'tool')
    from own o cross join lateral json_to_recordset(o.approvals) as a(id uuid, agent_id text, user_email text,
      capability_id text, tool text, call_id text, arguments json, pin text, assignee text, assignee_only boolean, reason text, allowable boolean, expiry json,
      expires_at timestamptz, kind text)),
  new_webhooks as (insert into webhook_deliveries(run_id, url, payload)
    select o.run_id, o.webhook->>'url', o.webhook->'payload' from own o where o.webhook is not null
    on conflict do nothing)`;

const ANSWER = `
  select run_id, coalesce(o.run->>'status' in ('done', 'failed', 'cancelled') and exists (
    select 1 from runs q where q.session_id = o.session_id and q.status = 'queued'), false) as next from own o`;

/** For a group without approvals, summaries and webhooks, which is nearly every one: each table costs time though it gets no row. */
export const COMMIT_PLAIN = EVERY + usage() + ANSWER;
export const COMMIT = EVERY + usage(" union all select run_id, summary->'usage' from own") + RARE + ANSWER;
