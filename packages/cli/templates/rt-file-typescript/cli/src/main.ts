#!/usr/bin/env node
/**
 * The command: reads and changes the service's data in ~/capabilities/TEMPLATE_NAME.
 * Failures go to stderr with a non-zero exit code: 1 = the action failed, 2 = the arguments are wrong.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";

const QUERY_SECONDS = 30;
const DATA = join(homedir(), "capabilities", "TEMPLATE_NAME");

type Row = Record<string, string | number | null>;
interface Given {
  words: string[];
  status: string | undefined;
}

const actions: Record<string, { needs: string[]; run: (given: Given) => Row | Row[] }> = {
  status: { needs: [], run: status },
  list: { needs: [], run: list },
  approve: { needs: ["item_id"], run: approve },
  configure: { needs: ["key", "value"], run: configure },
};

function openState(): DatabaseSync {
  const path = join(DATA, "state.sqlite");
  if (!existsSync(path))
    throw new Error(
      "the service has not run for this user yet; start it with capstan services start TEMPLATE_NAME",
    );
  const state = new DatabaseSync(path);
  state.exec("PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 5000;");
  return state;
}

function status(): Row {
  const state = openState();
  const waiting = state.prepare("SELECT count(*) AS n FROM items WHERE status = 'waiting'").get() as {
    n: number;
  };
  const polled = state.prepare("SELECT value FROM service WHERE key = 'polled_at'").get() as
    | { value: string }
    | undefined;
  return { waiting: waiting.n, polled_at: polled?.value ?? null };
}

function list({ status: only }: Given): Row[] {
  const query =
    "SELECT id, title, status, created_at FROM items WHERE ? IS NULL OR status = ? ORDER BY created_at, id";
  return openState()
    .prepare(query)
    .all(only ?? null, only ?? null) as Row[];
}

/** Safe to repeat: an approved item stays approved. */
function approve({ words: [id = ""] }: Given): Row {
  const { changes } = openState().prepare("UPDATE items SET status = 'approved' WHERE id = ?").run(id);
  if (Number(changes) === 0) throw new Error(`there is no item ${id}`);
  return { id, status: "approved" };
}

/** Written to a temporary file and renamed: the service never reads a partial file. */
function configure({ words: [key = "", value = ""] }: Given): Row {
  mkdirSync(DATA, { recursive: true });
  const path = join(DATA, "config.json");
  const settings = existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Row) : {};
  const changed = { ...settings, [key]: value };
  writeFileSync(`${path}.${process.pid}.tmp`, JSON.stringify(changed));
  renameSync(`${path}.${process.pid}.tmp`, path);
  return changed;
}

function main(argv: string[]): number {
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    process.stdout.write(readFileSync(new URL("../manifest.json", import.meta.url)));
    return 0;
  }
  const [name = "", ...rest] = argv;
  const action = actions[name];
  if (!action) return refuse(2, `unknown action "${name}"; there are ${Object.keys(actions).join(", ")}`);
  try {
    const options = { json: { type: "boolean", default: false }, status: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    if (positionals.length !== action.needs.length)
      return refuse(2, `${name} needs ${action.needs.join(" ") || "no argument"}`);
    const result = action.run({ words: positionals, status: values.status });
    const rows = Array.isArray(result) ? result : [result];
    console.log(
      values.json ? JSON.stringify(result) : rows.map((row) => Object.values(row).join("  ")).join("\n"),
    );
    return 0;
  } catch (error) {
    return refuse(
      (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS") ? 2 : 1,
      (error as Error).message,
    );
  }
}

function refuse(code: number, message: string): number {
  console.error(`error: ${message}`);
  return code;
}

setTimeout(
  () => process.exit(refuse(1, `it timed out after ${QUERY_SECONDS} s`)),
  QUERY_SECONDS * 1000,
).unref();
process.exitCode = main(process.argv.slice(2));
