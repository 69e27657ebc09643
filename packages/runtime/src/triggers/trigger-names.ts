/**
 * A trigger's state is its file's location and name, so that every state change is one atomic rename:
 *
 *   {name}/<id>.json                      pending
 *   {name}/<id>.a2.t1736937000000.json    pending again after two attempts, not before that time
 *   {name}/_processing/<id>.a3.<owner>.json
 *   {name}/_done/<id>.json, _failed/, _deduped/, _dropped/, _invalid/
 */

export const STATE_FOLDERS = {
  processing: "_processing",
  done: "_done",
  failed: "_failed",
  deduped: "_deduped",
  dropped: "_dropped",
  invalid: "_invalid",
} as const;

export interface PendingName {
  readonly stem: string;
  readonly attempts: number;
  readonly notBeforeMs: number;
}

export interface ProcessingName {
  readonly id: string;
  readonly attempts: number;
  readonly owner: string;
}

const PENDING = /^([^.][^/]*?)(?:\.a(\d{1,4})\.t(\d{1,15}))?\.json$/;
const PROCESSING = /^([0-9a-f-]{36})\.a(\d{1,4})\.([0-9a-f-]{36})\.json$/;

/** Undefined for everything that is not a complete trigger: `.tmp` files, dot files, folders. */
export function readPendingName(fileName: string): PendingName | undefined {
  const match = PENDING.exec(fileName);
  if (!match) return undefined;
  const [, stem = "", attempts = "0", notBeforeMs = "0"] = match;
  return { stem, attempts: Number(attempts), notBeforeMs: Number(notBeforeMs) };
}

export function pendingName({ stem, attempts, notBeforeMs }: PendingName): string {
  return attempts === 0 && notBeforeMs === 0 ? `${stem}.json` : `${stem}.a${attempts}.t${notBeforeMs}.json`;
}

export function readProcessingName(fileName: string): ProcessingName | undefined {
  const match = PROCESSING.exec(fileName);
  if (!match) return undefined;
  const [, id = "", attempts = "0", owner = ""] = match;
  return { id, attempts: Number(attempts), owner };
}

export const processingName = ({ id, attempts, owner }: ProcessingName): string =>
  `${id}.a${attempts}.${owner}.json`;

/** Folders of capabilities in `rt_triggers/`; those that start with `_` are ours. */
export const isCapabilityFolder = (name: string): boolean => /^[a-z0-9][a-z0-9_-]{0,49}$/.test(name);
