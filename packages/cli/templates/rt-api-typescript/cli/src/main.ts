#!/usr/bin/env node
/**
 * The command: calls the service over HTTP at SERVICE_URL.
 * Failures go to stderr with a non-zero exit code: 1 = the action failed, 2 = the arguments are wrong.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const QUERY_SECONDS = 30;
const { SERVICE_URL = "http://TEMPLATE_SERVICE:8080" } = process.env;

interface Item {
  id: number;
  title: string;
}

async function ask(path: string, body?: unknown): Promise<unknown> {
  const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const headers = { "content-type": "application/json" };
  const answer = await fetch(SERVICE_URL + path, {
    ...options,
    headers,
    signal: AbortSignal.timeout(QUERY_SECONDS * 1000),
  }).catch((error: Error) => {
    throw new Error(
      `the service at ${SERVICE_URL} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    );
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the service answered ${answer.status}: ${text.slice(0, 2000)}`);
  return JSON.parse(text);
}

const actions: Record<
  string,
  { needs: string[]; run: (words: string[], filter: string | undefined) => Promise<unknown> }
> = {
  query: { needs: [], run: (_, filter) => ask(`/items?${new URLSearchParams(filter ? { filter } : {})}`) },
  // Safe to repeat: the service stores each title once.
  add: { needs: ["title"], run: ([title]) => ask("/items", { title }) },
};

async function main(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    process.stdout.write(readFileSync(new URL("../manifest.json", import.meta.url)));
    return 0;
  }
  const [name = "", ...rest] = argv;
  const action = actions[name];
  if (!action) return refuse(2, `unknown action "${name}"; there are ${Object.keys(actions).join(", ")}`);
  try {
    const options = { json: { type: "boolean", default: false }, filter: { type: "string" } } as const;
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    if (positionals.length !== action.needs.length)
      return refuse(2, `${name} needs ${action.needs.join(" ") || "no argument"}`);
    const result = await action.run(positionals, values.filter);
    const rows = (Array.isArray(result) ? result : [result]) as Item[];
    console.log(
      values.json ? JSON.stringify(result) : rows.map(({ id, title }) => `${id}: ${title}`).join("\n"),
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

process.exitCode = await main(process.argv.slice(2));
