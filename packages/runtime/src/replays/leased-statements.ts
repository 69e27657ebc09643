/**
 * SQL for leased work: replay items, experiment cells, live runs to score. An item is claimed with a lease and
 * written with its epoch, so none is lost and none counts twice.
 */

const LEASE = "interval '30 seconds'"; // three missed renewals

/** Claims of all processes come one after the other: otherwise each would count the others' items as not yet running. */
export const LOCK_CLAIMS = "select pg_advisory_xact_lock(7263529)";

export interface LeasedTables {
  readonly parents: string;
  readonly items: string;
  /** The column of the items that names their parent. */
  readonly parent: string;
  /** What a claim returns beside `id`, `parentId`, `epoch` and `leftUsd`; `i` is the item, `o` the parent. */
  readonly claimed: string;
  /** Which items `s` count in the budget; all of the parent's if absent. */
  readonly counted?: string;
  /** Which items `i` may be worked on. */
  readonly ready?: string;
  /** Its parents run until someone stops them. */
  readonly isEndless?: true;
}

export function leasedStatements(tables: LeasedTables) {
  const { parents, items, parent, claimed, counted = "true", ready = "true", isEndless } = tables;
  const sum = `(select coalesce(sum(cost_usd), 0) from ${items} s where s.${parent} = p.id and ${counted})`;
  const spent = `case when p.budget_usd is null then 0 else ${sum} end`; // without a budget the sum of all items is not needed
  const ended = isEndless
    ? ""
    : `,
      ended as (update ${parents} p set status = 'done', ended_at = now() from open o where p.id = o.id and p.status = 'running'
        and not exists (select 1 from ${items} i where i.${parent} = o.id
          and (i.status = 'running' or i.status = 'queued' and not o.over)))`;
  return {
    cancel: `with ended as (update ${parents} set status = 'cancelled', ended_at = now()
        where id = $1 and status = 'running' returning id)
      update ${items} set status = 'cancelled', lease_until = null, ended_at = now()
      where ${parent} = (select id from ended) and status in ('queued', 'running')`,
    /**
     * The first items of every parent before the second ones: long work does not hold up short work. $1 how many. The same
     * statement skips items whose budget is spent, and ends parents without open items, also if the last were deleted.
     */
    claim: `with open as (select p.*, ${spent} as spent, p.budget_usd is not null and ${spent} >= p.budget_usd as over,
          p.concurrency - (select count(*) from ${items} b
          where b.${parent} = p.id and b.status = 'running' and b.lease_until > now()) as free
        from ${parents} p where p.status = 'running'),
      next as (select n.id from open o cross join lateral (select i.id, i.position from ${items} i
          where i.${parent} = o.id and i.status in ('queued', 'running')
            and (i.status = 'queued' and not o.over or i.status = 'running' and i.lease_until <= now()) and ${ready}
          order by i.position limit greatest(o.free, 0)) n
        order by n.position, n.id limit $1),
      skipped as (update ${items} s set status = 'skipped', ended_at = now()
        from open o where o.over and s.${parent} = o.id and s.status = 'queued')${ended}
      update ${items} i set status = 'running', epoch = i.epoch + 1, lease_until = now() + ${LEASE}
      from open o where i.id in (select id from next) and o.id = i.${parent} and i.status in ('queued', 'running')
      returning i.id, i.${parent} as "parentId", i.epoch, (o.budget_usd - o.spent)::float8 as "leftUsd", ${claimed}`,
    release: `update ${items} set status = 'queued', lease_until = null
      where id = $1 and epoch = $2 and status = 'running'`,
    renew: `update ${items} set lease_until = now() + ${LEASE}
      where id = any($1) and status = 'running' returning id, epoch`,
    requeueAll: `update ${items} set status = 'queued', lease_until = null where status = 'running'`,
  };
}

export type LeasedStatements = ReturnType<typeof leasedStatements>;
