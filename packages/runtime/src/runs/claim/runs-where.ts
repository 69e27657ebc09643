/** Finds runs by an index that has ended runs only. The others are few: they are found by their states, which have indexes too. */

/** A subselect. `indexed`: the condition that the index answers; `condition`: all of it. */
export const runsWhere = (indexed: string, condition: string): string => `(
  select * from runs where status in ('done', 'failed', 'cancelled') and ${indexed} and ${condition}
  union all select * from runs where status in ('running', 'waiting') and ${condition}
  union all select * from runs where status = 'queued' and ${condition})`;
