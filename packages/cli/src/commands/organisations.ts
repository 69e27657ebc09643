/** capstan organisations: who shares what on this server. */
import { organisationWire } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const organisations: Command = {
  usage:
    "capstan organisations [list | create <id> [--name <name>] [--requests-per-minute <n>] [--cost-usd-per-month <n>] [--weight <n>] | change <id> [--name <name>] [--requests-per-minute <n|none>] [--cost-usd-per-month <n|none>] [--weight <n>] | disable <id> | enable <id> | delete <id> | members <id> | member <id> <email> --role read|run|author|admin | leave <id> <email>]",
  summary:
    "Lists, creates and limits organisations: each has its own agents, sessions, keys and budgets, isolated from the others. CAPSTAN_ORGANISATION selects the organisation for other commands.",
  options: {
    name: { type: "string" },
    role: { type: "string" },
    "requests-per-minute": { type: "string" },
    "cost-usd-per-month": { type: "string" },
    weight: { type: "string" },
  },
  examples: [
    'capstan organisations create acme --name "Acme"',
    "capstan organisations member acme ann@example.com --role author",
    "CAPSTAN_ORGANISATION=acme capstan agents",
  ],
  run: (context) =>
    runVerb(context, organisations.usage, {
      list: { run: list },
      create: { needs: "an id", run: create },
      change: { needs: "an organisation's id", run: change },
      disable: { needs: "an organisation's id", run: (all, id) => disable(all, id, true) },
      enable: { needs: "an organisation's id", run: (all, id) => disable(all, id, false) },
      delete: { needs: "an organisation's id", run: remove },
      members: { needs: "an organisation's id", run: members },
      member: { needs: "an organisation's id and an e-mail address", run: member },
      leave: { needs: "an organisation's id and an e-mail address", run: leave },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).organisations.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map((each) => [
    each.id,
    each.name,
    each.disabled ? "disabled" : each.is_current ? "current" : "",
    String(each.requests_per_minute ?? ""),
    String(each.cost_usd_per_month ?? ""),
    String(each.weight),
  ]);
  return print(answer.value, () =>
    printList(
      ["ID", "NAME", "STATE", "REQUESTS/MIN", "USD/MONTH", "WEIGHT"],
      rows,
      terminal.columns,
      "None.",
    ),
  );
}

async function create({ server, print, options }: CommandContext, id: string) {
  const body = requestBody(
    organisationWire.OrganisationCreate,
    { id, name: options.name ?? id, ...limitsOf(options) },
    organisations.usage,
  );
  if (!body.ok) return body;
  const answer = await (await server()).organisations.create(body.value);
  return answer.ok
    ? print(answer.value, `Created ${id}. The key of its first admin, shown once:\n${answer.value.key}\n`)
    : answer;
}

async function change({ server, print, options }: CommandContext, id: string) {
  const sent = { ...(options.name !== undefined && { name: options.name }), ...limitsOf(options) };
  const body = requestBody(organisationWire.OrganisationPatch, sent, organisations.usage);
  if (!body.ok) return body;
  const answer = await (await server()).organisations.change(id, body.value);
  return answer.ok ? print(answer.value, `Changed ${id}\n`) : answer;
}

async function disable({ server, print }: CommandContext, id: string, disabled: boolean) {
  const answer = await (await server()).organisations.change(id, { disabled });
  return answer.ok ? print(answer.value, `${disabled ? "Disabled" : "Enabled"} ${id}\n`) : answer;
}

async function remove({ server, print }: CommandContext, id: string) {
  const answer = await (await server()).organisations.remove(id);
  return answer.ok ? print({ deleted: id }, `Deleted ${id} with everything in it\n`) : answer;
}

async function members({ server, print, terminal }: CommandContext, id: string) {
  const answer = await (await server()).organisations.members(id);
  if (!answer.ok) return answer;
  const rows = answer.value.map(({ user, role, added_by }) => [user, role, added_by]);
  const none = "Nobody was made a member; claims of the provider (`capstan roles`) and keys let others in.";
  return print({ items: answer.value }, () =>
    printList(["USER", "ROLE", "BY"], rows, terminal.columns, none),
  );
}

async function member({ server, print, options, args }: CommandContext, id: string) {
  const user = args[2];
  if (user === undefined) return missingAddress();
  const body = requestBody(
    organisationWire.OrganisationMemberPut,
    { role: options.role },
    organisations.usage,
  );
  if (!body.ok) return body;
  const answer = await (await server()).organisations.putMember(id, user, body.value);
  return answer.ok ? print(answer.value, `${user} is in ${id} with the role ${answer.value.role}\n`) : answer;
}

async function leave({ server, print, args }: CommandContext, id: string) {
  const user = args[2];
  if (user === undefined) return missingAddress();
  const answer = await (await server()).organisations.removeMember(id, user);
  return answer.ok ? print({ removed: user }, `${user} is no longer a member of ${id}\n`) : answer;
}

const missingAddress = () =>
  fail("command_invalid", { message: "an e-mail address is missing", usage: organisations.usage });

/** `none` removes a limit. */
function limitsOf(options: CommandContext["options"]) {
  const number = (text: unknown) => (text === "none" ? null : Number(text));
  const [requests, cost] = [options["requests-per-minute"], options["cost-usd-per-month"]];
  return {
    ...(requests !== undefined && { requests_per_minute: number(requests) }),
    ...(cost !== undefined && { cost_usd_per_month: number(cost) }),
    ...(options.weight !== undefined && { weight: Number(options.weight) }),
  };
}
