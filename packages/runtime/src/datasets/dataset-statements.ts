/** SQL of datasets. The dataset's row is locked while a version is written: versions have no gaps and one author each. */

const COLUMNS = `d.id, d.owner, d.name, d.description, d.version, d.created_at as "createdAt", d.updated_at as "updatedAt",
  coalesce((select v.items from dataset_versions v where v.dataset_id = d.id and v.number = d.version), 0) as items`;

export const CREATE = `insert into datasets(id, owner, name, description) values ($1, $2, $3, $4)
  on conflict (owner, name) do nothing returning id`;
export const GET = `select ${COLUMNS} from datasets d where d.id = $1`;
/** $1 owner or null, $2 ids before this one, $3 name or null, $4 text or null, $5 limit. */
export const LIST = `select ${COLUMNS} from datasets d where ($1::text is null or d.owner = $1)
  and ($2::uuid is null or d.id < $2) and ($3::text is null or d.name = $3)
  and ($4::text is null or strpos(lower(concat_ws(' ', d.name, d.description)), lower($4)) > 0) order by d.id desc limit $5`;
export const CHANGE = `update datasets d set name = coalesce($2, name), description = coalesce($3, description), updated_at = now()
  where id = $1 and not exists (select 1 from datasets o where o.owner = d.owner and o.name = $2 and o.id <> d.id)`;
export const REMOVE = "delete from datasets where id = $1";
export const LOCK = "select version from datasets where id = $1 for update";

const IN_VERSION = "from_version <= $2 and (to_version is null or to_version > $2)";
const ITEM_COLUMNS = `row_id as "rowId", item_id as "itemId", position, item, scrubbed, source, from_version as "fromVersion",
  created_at as "createdAt"`;
/** $1 dataset, $2 version, $3 after this position, $4 label or null, $5 text or null, $6 limit. */
export const ITEMS = `select ${ITEM_COLUMNS} from dataset_items where dataset_id = $1 and ${IN_VERSION} and position > $3
  and ($4::text is null or (item->'labels')::jsonb ? $4)
  and ($5::text is null or strpos(lower(concat_ws(' ', item_id, item->>'input', item->>'note')), lower($5)) > 0)
  order by position limit $6`;
/** $1 dataset, $2 version, $3 item. */
export const ITEM = `select ${ITEM_COLUMNS} from dataset_items where dataset_id = $1 and ${IN_VERSION} and item_id = $3`;

/** $1 dataset, $2 ids. */
export const NEWEST = `select item_id as "itemId", position, item::text as item from dataset_items
  where dataset_id = $1 and to_version is null and item_id = any($2)`;
/** $1 dataset, $2 the version without them, $3 ids. */
export const END_ITEMS = `update dataset_items set to_version = $2 where dataset_id = $1 and to_version is null and item_id = any($3)`;
/** $1 dataset, $2 version, $3 [{row_id, item_id, position or null, item, scrubbed, source}]. */
export const ADD_ITEMS = `insert into dataset_items(row_id, dataset_id, item_id, position, from_version, item, scrubbed, source)
  select i.row_id, $1, i.item_id, coalesce(i.position, (select coalesce(max(position), 0) from dataset_items where dataset_id = $1) + i.place),
    $2, i.item, i.scrubbed, i.source
  from json_to_recordset($3::json) as i(row_id uuid, item_id text, position int, place int, item json, scrubbed json, source json)`;
export const COUNT =
  "select count(*)::int as n from dataset_items where dataset_id = $1 and to_version is null";
export const SET_VERSION = "update datasets set version = $2, updated_at = now() where id = $1";
/** $1 dataset, $2 number, $3 by, $4 why, $5 added, $6 changed, $7 removed, $8 items. */
export const ADD_VERSION = `insert into dataset_versions(dataset_id, number, by, why, added, changed, removed, items)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;
export const VERSIONS = `select number, by, at, why, added, changed, removed, items from dataset_versions
  where dataset_id = $1 and ($2::int is null or number < $2)
  and ($3::text is null or strpos(lower(concat_ws(' ', by, why)), lower($3)) > 0) order by number desc limit $4`;
/** Removes it from every version. */
export const PURGE = "delete from dataset_items where dataset_id = $1 and item_id = $2";
