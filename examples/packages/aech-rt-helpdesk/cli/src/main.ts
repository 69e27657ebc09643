#!/usr/bin/env node
/**
 * aech-cli-helpdesk: search, get-ticket, add-note. SERVICE_URL says where the service is.
 * Failures go to stderr with a non-zero exit code: 1 = the action failed, 2 = the arguments are wrong.
 */
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

const QUERY_SECONDS = 30;
const {
  SERVICE_URL = "http://aech-rt-helpdesk:8080",
  DELEGATED_USER = "",
  CAPSTAN_IDEMPOTENCY_KEY,
} = process.env;

interface Ticket {
  id: string;
  title: string;
  status: string;
}

const ACTIONS: Record<string, { needs: string[]; run: (words: string[]) => Promise<unknown> }> = {
  search: { needs: ["query"], run: ([query = ""]) => ask(`/tickets?${new URLSearchParams({ query })}`) },
  "get-ticket": { needs: ["ticket_id"], run: ([id = ""]) => ask(`/tickets/${encodeURIComponent(id)}`) },
  "add-note": {
    needs: ["ticket_id", "note"],
    run: ([id = "", body = ""]) =>
      ask(`/tickets/${encodeURIComponent(id)}/notes`, {
        method: "POST",
        body: JSON.stringify({ body, author: DELEGATED_USER }),
        // The same call carries the same key, however often it is repeated.
        headers: { "idempotency-key": CAPSTAN_IDEMPOTENCY_KEY ?? randomUUID() },
      }),
  },
};

async function ask(path: string, options: RequestInit = {}): Promise<unknown> {
  const signal = AbortSignal.timeout(QUERY_SECONDS * 1000);
  const answer = await fetch(SERVICE_URL + path, { ...options, signal }).catch((error: Error) => {
    throw new Error(
      `the service at ${SERVICE_URL} does not answer: ${(error.cause as Error | undefined)?.message ?? error.message}`,
    );
  });
  const body = (await answer.json()) as { error?: string };
  if (!answer.ok) throw new Error(body.error ?? `the service answered ${answer.status}`);
  return body;
}

async function main(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    process.stdout.write(readFileSync(new URL("../manifest.json", import.meta.url)));
    return 0;
  }
  const [name = "", ...rest] = argv;
  const action = ACTIONS[name];
  if (!action) return refuse(2, `unknown action "${name}"; there are ${Object.keys(ACTIONS).join(", ")}`);
  try {
    const options = { json: { type: "boolean", default: false } } as const;
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    if (positionals.length !== action.needs.length)
      return refuse(2, `${name} needs ${action.needs.join(" ")}`);
    const result = await action.run(positionals);
    const rows = (Array.isArray(result) ? result : [result]) as Ticket[];
    console.log(
      values.json
        ? JSON.stringify(result)
        : rows.map(({ id, status, title }) => `${id}  ${status}  ${title}`).join("\n"),
    );
    return 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(code?.startsWith("ERR_PARSE_ARGS") ? 2 : 1, message);
  }
}

function refuse(code: number, message: string): number {
  console.error(`error: ${message}`);
  return code;
}

process.exitCode = await main(process.argv.slice(2));
