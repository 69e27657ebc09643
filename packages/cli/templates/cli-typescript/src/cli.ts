/**
 * The actions. Each prints one JSON document with --json, and text without.
 * Failures go to stderr with a non-zero exit code: 1 = the action failed, 2 = the arguments are wrong.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { parseArgs } from "node:util";

const FILE_SECONDS = 120; // file operations; use 30 for queries

type Answer = Record<string, string | number>;

const actions: Record<string, { arguments: string[]; run: (values: string[]) => Promise<Answer> }> = {
  stats: { arguments: ["file_path"], run: ([path = ""]) => stats(path) },
  save: { arguments: ["file_path", "text"], run: ([path = "", text = ""]) => save(path, text) },
};

async function stats(path: string): Promise<Answer> {
  const bytes = await readFile(path);
  const text = bytes.toString("utf8");
  const lines = text.split("\n").length - (text.endsWith("\n") || text === "" ? 1 : 0);
  return { path, lines, words: text.split(/\s+/).filter(Boolean).length, bytes: bytes.length };
}

/** Written to a temporary file and renamed: readers see the old file or the new one, never a part. */
async function save(path: string, text: string): Promise<Answer> {
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(partial, text);
    await rename(partial, path);
  } finally {
    await rm(partial, { force: true });
  }
  return { path, bytes: Buffer.byteLength(text) };
}

export async function run(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    process.stdout.write(await readFile(new URL("../manifest.json", import.meta.url)));
    return 0;
  }
  const [name = "", ...rest] = argv;
  const action = actions[name];
  if (!action) return refuse(2, `unknown action "${name}"; there are ${Object.keys(actions).join(", ")}`);
  let parsed: { values: { json: boolean }; positionals: string[] };
  try {
    const options = { json: { type: "boolean", default: false } } as const;
    parsed = parseArgs({ args: rest, options, allowPositionals: true });
  } catch (error) {
    return refuse(2, (error as Error).message);
  }
  const { values, positionals } = parsed;
  if (positionals.length !== action.arguments.length)
    return refuse(2, `${name} needs ${action.arguments.join(" ")}`);
  const late = setTimeout(
    () => process.exit(refuse(1, `it timed out after ${FILE_SECONDS} s`)),
    FILE_SECONDS * 1000,
  );
  try {
    const answer = await action.run(positionals);
    const words = Object.entries(answer).map(([key, value]) => `${key}: ${value}`);
    console.log(values.json ? JSON.stringify(answer) : words.join(", "));
    return 0;
  } catch (error) {
    return refuse(1, (error as Error).message);
  } finally {
    clearTimeout(late);
  }
}

function refuse(code: number, message: string): number {
  console.error(`error: ${message}`);
  return code;
}
