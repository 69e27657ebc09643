/** capstan secrets: secrets of capabilities. The value is prompted for or read from a pipe, never an argument. */
import { SecretPut } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const secrets: Command = {
  usage:
    "capstan secrets [list | set <NAME> --for <capability> [--user <email>] | remove <NAME> --for <capability> [--user <email>]]",
  summary: "Sets secrets for capabilities by name, for all users or one.",
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

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).secrets.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ capability, name, user, updated_by, updated_at }) => [
    capability,
    name,
    user ?? "every user",
    updated_by,
    updated_at,
  ]);
  const head = ["CAPABILITY", "NAME", "FOR", "SET BY", "AT"];
  const none = "No secrets yet. Set one with `capstan secrets set NAME --for <capability>`.";
  return print(answer.value, () => printList(head, rows, terminal.columns, none));
}

async function set(context: CommandContext, name: string) {
  const { for: capability, user } = context.options;
  if (typeof capability !== "string") return missing();
  const value = await readValue(context, name);
  const body = requestBody(SecretPut, { value, user }, secrets.usage);
  if (!body.ok) return body;
  const sent = await (await context.server()).secrets.set({ capability, name }, body.value);
  return sent.ok ? context.print(sent.value, `Set ${name}\n`) : sent;
}

async function remove(context: CommandContext, name: string) {
  const { for: capability, user } = context.options;
  if (typeof capability !== "string") return missing();
  const whose = typeof user === "string" ? { user } : {};
  const sent = await (await context.server()).secrets.remove({ capability, name }, whose);
  return sent.ok ? context.print({ removed: name }, `Removed ${name}\n`) : sent;
}

const missing = () =>
  fail("command_invalid", { message: "--for <capability> is required", usage: secrets.usage });

async function readValue({ terminal }: CommandContext, name: string): Promise<string | undefined> {
  if (terminal.isInteractive) return terminal.ask(`Value of ${name}: `);
  const lines: string[] = [];
  for await (const line of terminal.lines()) lines.push(line);
  return lines.join("\n");
}
