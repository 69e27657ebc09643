/** capstan secrets: what a capability is given by name. The value is asked for or read from a pipe, never an argument. */
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

interface Secret {
  capability: string;
  name: string;
  user?: string;
  updated_by: string;
  updated_at: string;
}

export const secrets: Command = {
  usage:
    "capstan secrets [list | set <NAME> --for <capability> [--user <email>] | remove <NAME> --for <capability> [--user <email>]]",
  summary: "Gives capabilities secrets by name, for all users or for one.",
  options: { for: { type: "string" }, user: { type: "string" } },
  examples: [
    "capstan secrets set OPENAI_API_KEY --for documents",
    "capstan secrets set TOKEN --for inbox --user me@example.com < token.txt",
  ],
  run: (context) =>
    runVerb(context, secrets.usage, {
      list: { run: list },
      set: { needs: "the secret's name", run: set },
      remove: { needs: "the secret's name", run: remove },
    }),
};

async function list({ server, json, terminal }: CommandContext) {
  const answer = await (await server()).json<{ items: Secret[] }>("GET", "/v1/secrets");
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ capability, name, user, updated_by, updated_at }) => [
    capability,
    name,
    user ?? "every user",
    updated_by,
    updated_at,
  ]);
  const none = "No secret yet. `capstan secrets set NAME --for <capability>` gives one.";
  terminal.out(
    json
      ? `${JSON.stringify(answer.value, null, 2)}\n`
      : printList(["CAPABILITY", "NAME", "FOR", "SET BY", "AT"], rows, terminal.columns, none),
  );
  return 0;
}

async function set(context: CommandContext, name: string) {
  const place = placeOf(context, name);
  if (!place) return missing();
  const value = await readValue(context, name);
  if (!value)
    return fail("command_invalid", { message: "the secret's value is missing", usage: secrets.usage });
  const { user } = context.options;
  const sent = await (await context.server()).send("PUT", place, { json: { value, user } });
  if (!sent.ok) return sent;
  context.terminal.out(context.json ? `${JSON.stringify({ set: name })}\n` : `Set ${name}\n`);
  return 0;
}

async function remove(context: CommandContext, name: string) {
  const place = placeOf(context, name);
  if (!place) return missing();
  const { user } = context.options;
  const query = typeof user === "string" ? `?user=${encodeURIComponent(user)}` : "";
  const sent = await (await context.server()).send("DELETE", `${place}${query}`);
  if (!sent.ok) return sent;
  context.terminal.out(context.json ? `${JSON.stringify({ removed: name })}\n` : `Removed ${name}\n`);
  return 0;
}

function placeOf({ options }: CommandContext, name: string): string | undefined {
  if (typeof options.for !== "string") return undefined;
  return `/v1/secrets/${encodeURIComponent(options.for)}/${encodeURIComponent(name)}`;
}

const missing = () =>
  fail("command_invalid", { message: "--for <capability> is missing", usage: secrets.usage });

async function readValue({ terminal }: CommandContext, name: string): Promise<string | undefined> {
  if (terminal.isInteractive) return terminal.ask(`Value of ${name}: `);
  const lines: string[] = [];
  for await (const line of terminal.lines()) lines.push(line);
  return lines.join("\n");
}
