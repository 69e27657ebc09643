/**
 * How a process claims a run. The first claim writes run and message in one statement; a later one takes
 * the next epoch, which fences off the process that had the run.
 */
import { ENDS_WITH_CLIENT } from "./ends-with-client.ts";

export const LAST_MESSAGES = 300; // a turn must not cost more in a longer session; the message to answer is always included

/** The end of the conversation of session `s`, oldest first, and the summary of what came before, if there is one. */
const CONVERSATION = `(select json_agg(json_build_object('position', m.position, 'id', m.id, 'role', m.role,
      'content', m.content) order by m.position)
    from messages m where m.session_id = s.id and (
      m.position > greatest((select max(position) - ${LAST_MESSAGES} from messages where session_id = s.id),
        (select max(to_position) from session_summaries where session_id = s.id))
      or m.position = (select position from messages where session_id = s.id and role = 'user'
        order by position desc limit 1))) as conversation,
    (select json_build_object('id', u.id, 'toPosition', u.to_position, 'toMessageId', u.to_message_id, 'text', u.text,
        'kept', u.kept, 'labels', u.labels, 'pinned', (select json_agg(json_build_object('position', p.position, 'id', p.id,
          'role', p.role, 'content', p.content) order by p.position) from messages p
          where p.session_id = s.id and p.position <= u.to_position and p.pinned_at is not null))
      from session_summaries u where u.session_id = s.id order by u.to_position desc limit 1) as summary`;

/** Everything a turn needs to know about its session, read at once. $1 session, $2 message id. */
export const READ_SESSION = `select s.agent_id, s.owner, s.state, s.metadata, s.continue_in, s.follows,
    (select json_build_object('id', r.id, 'status', r.status, 'clientRunId', r.input->>'clientRunId') from runs r
      where r.session_id = s.id and hashtextextended(r.message_id, 0) = hashtextextended($2, 0) and r.message_id = $2) as known,
    (select json_build_object('id', r.id, 'status', r.status, 'pending', r.pending,
      'isLeft', r.left_at is not null) from runs r
      where r.session_id = s.id and r.status in ('running', 'waiting')) as active,
    (select json_agg(json_build_object('messageId', f.message_id, 'value', f.value, 'words', f.words)
      order by f.created_at) from feedback f where f.session_id = s.id and not f.told) as feedback,
    ${CONVERSATION}
  from sessions s where s.id = $1`;

/** $1 session, $2 run, $3 message id, $4 owner, $5 agent, $6 input, $7 input with the message, $8 message,
 * $9 reported feedback, $10 parent run, $11 parent call, $12 state or null. A session's first message
 * creates the session: $13 whether it does, $14 its user, $15 its metadata, $16 its title, $17 what it follows. $18 is the
 * agent's revision. If another request created it meanwhile,
 * nothing is written. */
export const CLAIM_NEW = `with made as (
    insert into sessions(id, agent_id, owner, status, state, metadata, title, follows)
    select $1, $5::uuid, $14::text, 'running', coalesce($12::jsonb, '{}'), $15::jsonb, $16::text, $17::jsonb where $13::boolean
    on conflict do nothing returning id),
  started as (
    insert into runs(id, session_id, agent_id, status, owner, message_id, input, start_seq, parent_run_id, parent_call_id,
      revision)
    select $2, $1, $5, 'running', $4, $3, $6::json,
      (select coalesce(max(last_seq), 0) + 1 from events where session_id = $1), $10, $11, $18::int
    where not exists (select 1 from runs where session_id = $1 and status = 'queued')
      and (not $13::boolean or exists (select 1 from made))
    on conflict do nothing returning start_seq),
  queued as (
    insert into runs(id, session_id, agent_id, status, message_id, input, parent_run_id, parent_call_id, revision)
    select $2, $1, $5, 'queued', $3, $7::json, $10, $11, $18::int where not $13::boolean and not exists (select 1 from started)
    on conflict do nothing returning id),
  message as (
    insert into messages(session_id, position, id, run_id, role, content)
    select $1, (select coalesce(max(position), -1) + 1 from messages where session_id = $1), $3, $2, 'user', $8::json
    from started returning position),
  told as (update feedback set told = true where session_id = $1 and message_id = any($9::text[])
    and exists (select 1 from started)),
  session as (update sessions set status = 'running', state = coalesce($12::jsonb, state), updated_at = now()
    where not $13::boolean and id = $1 and exists (select 1 from started))
  select (select start_seq from started) as start_seq, (select position from message) as position,
    exists (select 1 from queued) as queued`;

/** Starts the oldest queued run of a session, unless one is active. $1 session, $2 owner. */
export const CLAIM_QUEUED = `with next as (
    select id, message_id from runs where session_id = $1 and status = 'queued'
      and not exists (select 1 from runs where session_id = $1 and status in ('running', 'waiting'))
    order by id limit 1 for update skip locked),
  started as (
    update runs r set status = 'running', owner = $2, epoch = r.epoch + 1, updated_at = now(),
      start_seq = (select coalesce(max(last_seq), 0) + 1 from events where session_id = $1)
    from next where r.id = next.id returning r.id, r.session_id, r.message_id, r.epoch, r.segment, r.launch, r.start_seq,
      r.input, r.agent_id, r.parent_run_id, r.parent_call_id),
  message as (
    insert into messages(session_id, position, id, run_id, role, content)
    select $1, (select coalesce(max(position), -1) + 1 from messages where session_id = $1), message_id, id, 'user',
      input->'content' from started),
  session as (update sessions set status = 'running', updated_at = now()
    where id = $1 and exists (select 1 from started))
  select * from started`;

/**
 * Resumes a waiting run if everything it waits for has arrived. Run it in a transaction that locks the run's row, or two
 * concurrent answers may each see the other as missing. $1 run, $2 owner.
 */
export const CLAIM_WAITING = `with resumed as (
    update runs r set status = 'running', segment = r.segment + 1, launch = r.launch + 1,
      epoch = r.epoch + 1, attempts = 0, owner = $2,
      pending = null, left_at = null, updated_at = now(),
      start_seq = (select coalesce(max(last_seq), 0) + 1 from events where session_id = r.session_id)
    where r.id = $1 and r.status = 'waiting'
      and not exists (select 1 from approvals a where a.run_id = r.id and a.status = 'pending')
      and not exists (select 1 from json_array_elements_text(r.pending->'clientCalls') c where not exists (
        select 1 from messages m cross join lateral json_array_elements(m.content) p
        where m.session_id = r.session_id and m.run_id = r.id and m.role = 'tool' and p->>'toolCallId' = c))
      and not exists (select 1 from json_array_elements_text(r.pending->'children') c
        join runs k on k.id = c::uuid where k.status in ('queued', 'running', 'waiting'))
    returning r.id, r.session_id, r.epoch, r.segment, r.launch, r.start_seq, r.input, r.agent_id, r.parent_run_id,
      r.parent_call_id),
  session as (update sessions set status = 'running', updated_at = now()
    where id = (select session_id from resumed))
  select * from resumed`;

const CLAIMED =
  "id, session_id, epoch, segment, launch, start_seq, attempts, input, agent_id, parent_run_id, parent_call_id";

/** A client lost its connection with the process that ran the run; it has the whole grace period to return. */
const LEFT_WITH_ITS_PROCESS = `left_at = case when ${ENDS_WITH_CLIENT} then now() end`;

/** After a crash: the same workflow continues under the next epoch. $1 run, $2 owner, $3 launch. */
export const CLAIM_AGAIN = `update runs set epoch = epoch + 1, owner = $2, attempts = attempts + 1, updated_at = now(),
  ${LEFT_WITH_ITS_PROCESS} where id = $1 and status = 'running' and launch = $3 returning ${CLAIMED}`;

/** Claims a run without a process and without a workflow. $1 run, $2 owner, $3 the epoch that was read. */
export const ADOPT = `update runs set epoch = epoch + 1, launch = launch + 1, owner = $2, attempts = attempts + 1,
  updated_at = now(), ${LEFT_WITH_ITS_PROCESS} where id = $1 and status = 'running' and epoch = $3 returning ${CLAIMED}`;

/** Claims a running run to cancel it, whichever process has it. $1 session, $2 owner, $3 this run only, or null. */
export const CLAIM_TO_CANCEL = `update runs set epoch = epoch + 1, launch = launch + 1, owner = $2, updated_at = now()
  where session_id = $1 and status = 'running' and ($3::uuid is null or id = $3) returning ${CLAIMED}`;

/** Claims a waiting run to cancel it: adds a segment to end it in, and cancels its approvals. $1 session, $2 owner,
 * $3 this run only, or null. */
export const CLAIM_WAITING_TO_CANCEL = `with taken as (
    update runs r set status = 'running', segment = r.segment + 1, launch = r.launch + 1, epoch = r.epoch + 1,
      owner = $2, pending = null, updated_at = now(),
      start_seq = (select coalesce(max(last_seq), 0) + 1 from events where session_id = r.session_id)
    where r.session_id = $1 and r.status = 'waiting' and ($3::uuid is null or r.id = $3) returning r.id, r.session_id, r.epoch, r.segment, r.launch,
      r.start_seq, r.attempts, r.input, r.agent_id, r.parent_run_id, r.parent_call_id),
  withdrawn as (update approvals set status = 'cancelled', decided_at = now()
    where run_id = (select id from taken) and status = 'pending')
  select * from taken`;

/** What a resumed segment reads: session, conversation, its own events, and the answers to its approvals.
 * $1 session, $2 run, $3 the segment's first sequence number. */
export const READ_RUN = `select s.agent_id, s.owner, s.state, s.metadata, s.follows,
    ${CONVERSATION},
    (select json_agg(used.usage) from (
      select m.usage from messages m where m.session_id = s.id and m.run_id = $2 and m.usage is not null
      union all select u.usage from session_summaries u
        where u.session_id = s.id and u.run_id = $2 and u.usage is not null) used) as usages,
    (select r.usage from runs r where r.id = $2) as usage,
    (select json_agg(c.usage) from runs c where c.parent_run_id = $2 and c.usage is not null) as children,
    (select coalesce(max(last_seq), 0) from events where session_id = s.id) as last_seq,
    (select json_agg(e.payload order by e.last_seq) from events e where e.session_id = s.id and e.last_seq >= $3) as batches,
    (select json_agg(json_build_object('callId', a.call_id, 'status', a.status, 'words', a.words,
      'edited', a.edited_arguments, 'by', a.decided_by, 'pin', a.pin) order by a.id)
      from approvals a where a.run_id = $2) as answers
  from sessions s where s.id = $1`;

/** The whole conversation, for a snapshot. */
export const READ_MESSAGES = "select id, role, content from messages where session_id = $1 order by position";
