/** Failures of backups, and of moving from one store to another. */
import { row } from "./failure.ts";

export const backupFailures = {
  backup_nothing_there: row<{ folder: string }>({
    status: 404,
    message: ({ folder }) => `No embedded store found in ${folder}.`,
    nextStep: () => "Set CAPSTAN_DATA_DIR to the folder the server uses, or DATABASE_URL to its Postgres.",
  }),
  backup_exists: row<{ path: string }>({
    status: 409,
    message: ({ path }) => `${path} already exists.`,
    nextStep: () => "Choose another file name; a backup never overwrites a file.",
  }),
  backup_unwritable: row<{ path: string; why: string }>({
    status: 500,
    message: ({ path, why }) => `${path} cannot be written: ${why}`,
    nextStep: () => "Check the folder's permissions and free space.",
  }),
  backup_unreadable: row<{ path: string; why: string }>({
    status: 400,
    message: ({ path, why }) => `${path} cannot be read as a backup: ${why}`,
    nextStep: () => "Nothing was changed. Use a file written by `capstan backup`, or an older copy of it.",
  }),
  backup_other_format: row<{ path: string; format: number; known: number; version: string }>({
    status: 400,
    message: ({ path, format, known }) => `${path} has format ${format}; this version reads ${known}.`,
    nextStep: ({ version }) => `Restore it with Capstan ${version} or later.`,
  }),
  backup_schema_unknown: row<{ what: string; version: string }>({
    status: 400,
    message: ({ what }) => `The data contains ${what}, which this version does not support and would lose.`,
    nextStep: ({ version }) => `Nothing was changed. Use Capstan ${version} or later.`,
  }),
  target_not_empty: row<{ where: string; what: string }>({
    status: 409,
    message: ({ where, what }) => `${where} is not empty: it has ${what}.`,
    nextStep: () =>
      "Nothing was changed. Use a new database or another CAPSTAN_DATA_DIR, or empty this one yourself.",
  }),
  target_in_use: row<{ where: string; servers: number }>({
    status: 409,
    message: ({ where, servers }) =>
      `${servers === 1 ? "A server is" : `${servers} servers are`} using ${where}.`,
    nextStep: () => "Stop every server that uses it, then try again.",
  }),
  maintenance_stopped: row<{ code: number }>({
    status: 500,
    message: ({ code }) => `The process stopped before it finished (exit code ${code}).`,
    nextStep: () => "No partial result is used. Read its output, then start it again.",
  }),
  store_copy_failed: row<{ where: string; why: string }>({
    status: 500,
    message: ({ where, why }) => `The data could not be written to ${where}: ${why}`,
    nextStep: () => "Nothing was written there. Fix the cause, then try again.",
  }),
};
