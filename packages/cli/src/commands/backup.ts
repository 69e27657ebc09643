/** capstan backup, restore and migrate: the whole installation to a file, from a file, and from the embedded store to Postgres. */
import { fail } from "@capstan/core";
import { z } from "zod";
import type { Command, CommandContext } from "../command.ts";
import { number, runMaintenance } from "../maintenance.ts";

const Counts = z.object({ rows: z.record(z.string(), z.int()), files: z.int() });

const BackupDone = Counts.extend({
  path: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  servers: z.int(),
  holdsSecret: z.boolean(),
});
const RestoreDone = Counts.extend({ location: z.string(), madeAt: z.string(), version: z.string() });
const MoveDone = Counts.extend({ location: z.string() });

export const backup: Command = {
  usage: "capstan backup <file>",
  summary:
    "Writes everything (agents, sessions, users, keys, packages, triggers) to one file. Stop the server first, unless it uses Postgres.",
  examples: [
    "capstan backup before-upgrade.capstan",
    "DATABASE_URL=postgres://... capstan backup nightly.capstan",
  ],
  run(context) {
    const [path] = context.args;
    if (path === undefined) return wants("the file to write", backup);
    return perform(context, BackupDone, ["backup", path], (done) => [
      `Wrote ${done.path} (${number(Math.ceil(done.bytes / 1024))} KB): ${counted(done)}.`,
      ...(done.servers > 0
        ? [
            "Servers were running: the database is a consistent snapshot, but files in the data folder may have changed during the copy.",
          ]
        : []),
      done.holdsSecret
        ? "It contains this installation's keys: keep it as safe as the data folder."
        : "Provider keys in it are encrypted with CAPSTAN_SECRET: keep that too.",
    ]);
  },
};

export const restore: Command = {
  usage: "capstan restore <file>",
  summary:
    "Restores a backup into an empty data folder, and into the empty database of DATABASE_URL if it is set.",
  examples: ["CAPSTAN_DATA_DIR=/var/lib/capstan capstan restore before-upgrade.capstan"],
  run(context) {
    const [path] = context.args;
    if (path === undefined) return wants("the file to read", restore);
    return perform(context, RestoreDone, ["restore", path], (done) => [
      `Restored to ${done.location}: ${counted(done)}, as of ${done.madeAt}.`,
      "Start the server: active runs continue, and approvals are still pending.",
    ]);
  },
};

export const migrate: Command = {
  usage: "capstan migrate --to <DATABASE_URL>",
  summary:
    "Copies the embedded store into an empty Postgres. The data folder stays in use, and the embedded store is not changed.",
  options: { to: { type: "string" } },
  examples: ["capstan migrate --to postgres://capstan@db.example.com/capstan"],
  run(context) {
    const { to } = context.options;
    if (typeof to !== "string" || !/^postgres(ql)?:\/\//.test(to)) {
      return wants("--to with a URL that starts with postgres://", migrate);
    }
    return perform(context, MoveDone, ["migrate", to], (done) => [
      `Moved to ${done.location}: ${counted(done)}.`,
      "From now on, start every server with this DATABASE_URL and the same data folder; without it, the old store is used.",
      "A server on another machine needs the data folder's secret.key as CAPSTAN_SECRET.",
    ]);
  },
};

async function perform<T>(
  context: CommandContext,
  schema: z.ZodType<T>,
  words: string[],
  text: (done: T) => string[],
) {
  const result = await runMaintenance(context, ...words);
  if (!result.ok) return result;
  const done = schema.parse(result.value);
  return context.print(done, () =>
    text(done)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

const wants = async (what: string, { usage }: Command) =>
  fail("command_invalid", { message: `it wants ${what}`, usage });

/** The most interesting counts first, then the rest. */
function counted({ rows, files }: z.infer<typeof Counts>): string {
  const total = Object.values(rows).reduce((sum, count) => sum + count, 0);
  const of = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? "" : "s"}`;
  const named = ["agent", "session", "message", "user"].map((one) => of(rows[`${one}s`] ?? 0, one));
  return `${named.join(", ")}, ${of(total, "row")} and ${of(files, "file")} in all`;
}
