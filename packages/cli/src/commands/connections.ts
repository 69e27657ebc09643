/** capstan connections: accounts at other services, and the providers that an admin set up. Keys and secrets are prompted for or read from a pipe. */
import type { ConnectionInfo, ConnectionProviderInfo } from "@capstan/client";
import { ConnectionProviderPut, ConnectionStart } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { itemsOf, printList } from "../print-table.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

const text = { type: "string" } as const;

export const connections: Command = {
  usage:
    "capstan connections [list | add <provider> [--scopes <a,b>] [--agent <agent>] [--hours <n>] [--user <name>] | " +
    "answer <approval> [--term once|time|always] [--hours <n>] | uses <id> | revoke <id> | disallow <id> --agent <agent> | " +
    "providers | provider <id> --client-id <id> [--tenant <directory>] [--issuer <url>] [--hosts <a,b>] " +
    "[--base-scopes <a,b>] [--resource <url>] [--kind oauth2|api_key|basic] [--header <name>] [--secret] | remove-provider <id>]",
  summary: "Connects accounts at other services, shows what used them, and revokes them.",
  options: {
    scopes: text,
    agent: text,
    hours: text,
    term: text,
    user: text,
    "client-id": text,
    tenant: text,
    issuer: text,
    resource: text,
    "authorization-url": text,
    "token-url": text,
    "revocation-url": text,
    hosts: text,
    "base-scopes": text,
    kind: text,
    header: text,
    secret: { type: "boolean" },
  },
  examples: [
    "capstan connections provider github --client-id Ov23li0123456789 --secret < secret.txt",
    "capstan connections add github --scopes repo",
    "capstan connections uses 0199…",
  ],
  run: (context) =>
    runVerb(context, connections.usage, {
      list: { run: list },
      add: { needs: "a provider", run: add },
      answer: { needs: "an approval's id", run: answer },
      uses: { needs: "a connection's id", run: uses },
      revoke: { needs: "a connection's id", run: revoke },
      disallow: { needs: "a connection's id", run: disallow },
      providers: { run: providers },
      provider: { needs: "a provider's id", run: provider },
      "remove-provider": { needs: "a provider's id", run: removeProvider },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const found = await (await server()).connections.all();
  if (!found.ok) return found;
  const head = ["ID", "PROVIDER", "ACCOUNT", "SCOPES", "FOR", "LAST USED", "STATUS"];
  const none = "No connections. `capstan connections providers` lists where you can connect.";
  return print(itemsOf(found.value), () => printList(head, found.value.map(rowOf), terminal.columns, none));
}

const rowOf = ({
  id,
  provider_name,
  account,
  scopes,
  consents,
  last_used_at,
  status,
}: ConnectionInfo): string[] => [
  id,
  provider_name,
  account,
  scopes.join(" "),
  consents.map(({ agent_name, until }) => (until ? `${agent_name} until ${until}` : agent_name)).join(", "),
  last_used_at ?? "never",
  status,
];

async function add(context: CommandContext, id: string) {
  const { scopes, agent, hours, user } = context.options;
  const api = await context.server();
  const known = await api.connections.providers();
  if (!known.ok) return known;
  const kind = known.value.items.find((each) => each.id === id)?.kind;
  const sent = {
    provider: id,
    scopes: listOf(scopes),
    agent_id: agent,
    ...(hours !== undefined && { term: "time", hours: numberOf(hours) }),
    ...(kind === "api_key" && { key: await readValue(context, `Key of ${id}: `) }),
    ...(kind === "basic" && { user, password: await readValue(context, `Password of ${id}: `) }),
  };
  return start(context, sent);
}

/** What a run waits for; the same as the page that its link opens. */
async function answer(context: CommandContext, approval: string) {
  const { term = "always", hours } = context.options;
  return start(context, {
    approval_id: approval,
    term,
    ...(hours !== undefined && { hours: numberOf(hours) }),
  });
}

async function start({ server, print }: CommandContext, sent: Readonly<Record<string, unknown>>) {
  const body = requestBody(ConnectionStart, sent, connections.usage);
  if (!body.ok) return body;
  const started = await (await server()).connections.start(body.value);
  if (!started.ok) return started;
  const { authorization_url, connection } = started.value;
  const said =
    authorization_url === null
      ? `Connected ${connection?.provider_name ?? ""}\n`
      : `Open this address and consent; the studio completes the connection:\n${authorization_url}\n`;
  return print(started.value, said);
}

async function uses({ server, print, terminal }: CommandContext, id: string) {
  const found = await (await server()).connections.uses(id, { limit: 200 });
  if (!found.ok) return found;
  const rows = found.value.items.map((use) => [
    use.used_at,
    use.agent_name,
    use.tool,
    use.capability_id,
    use.session_id ?? "",
  ]);
  const head = ["AT", "AGENT", "TOOL", "CAPABILITY", "SESSION"];
  return print(found.value, () => printList(head, rows, terminal.columns, "Nothing has used it yet."));
}

const AT_PROVIDER = new Map<boolean | null, string>([
  [true, "here and at the provider"],
  [false, "here; the provider did not answer, so end it in its settings too"],
  [null, "here; the provider has no address for it, so end it in its settings too"],
]);

async function revoke({ server, print }: CommandContext, id: string) {
  const gone = await (await server()).connections.revoke(id);
  return gone.ok ? print(gone.value, `Ended ${AT_PROVIDER.get(gone.value.revoked_at_provider)}\n`) : gone;
}

async function disallow({ server, print, options }: CommandContext, id: string) {
  const { agent } = options;
  if (typeof agent !== "string")
    return fail("command_invalid", { message: "--agent <agent> is required", usage: connections.usage });
  const sent = await (await server()).connections.disallow(id, agent);
  return sent.ok ? print({ disallowed: agent }, `${agent} asks again\n`) : sent;
}

async function providers({ server, print, terminal }: CommandContext) {
  const found = await (await server()).connections.providers();
  if (!found.ok) return found;
  const rows = found.value.items.map(providerRow);
  return print(found.value, () =>
    printList(["ID", "NAME", "KIND", "READY", "HOSTS"], rows, terminal.columns, ""),
  );
}

const providerRow = ({ id, name, kind, ready, from, hosts }: ConnectionProviderInfo): string[] => [
  id,
  name,
  kind,
  ready ? `yes, from the ${from}` : "no client",
  hosts.join(" "),
];

async function provider(context: CommandContext, id: string) {
  const { options, server, print } = context;
  const { tenant, issuer, resource, hosts, kind, header } = options;
  const sent = {
    client_id: options["client-id"],
    tenant,
    issuer,
    resource,
    authorization_url: options["authorization-url"],
    token_url: options["token-url"],
    revocation_url: options["revocation-url"],
    hosts: listOf(hosts),
    base_scopes: listOf(options["base-scopes"]),
    kind,
    header,
    ...(options.secret === true && { client_secret: await readValue(context, "Client secret: ") }),
  };
  const body = requestBody(ConnectionProviderPut, sent, connections.usage);
  if (!body.ok) return body;
  const saved = await (await server()).connections.setProvider(id, body.value);
  return saved.ok
    ? print(
        saved.value,
        saved.value.kind === "oauth2"
          ? `Saved ${saved.value.name}. Redirect address to register: ${saved.value.redirect_uri}\n`
          : `Saved ${saved.value.name}. Each user connects with \`capstan connections add ${id}\`.\n`,
      )
    : saved;
}

async function removeProvider({ server, print }: CommandContext, id: string) {
  const sent = await (await server()).connections.removeProvider(id);
  return sent.ok ? print({ removed: id }, `Removed ${id}\n`) : sent;
}

const listOf = (words: unknown): string[] | undefined =>
  typeof words === "string" ? words.split(/[\s,]+/).filter(Boolean) : undefined;

async function readValue({ terminal }: CommandContext, question: string): Promise<string> {
  if (terminal.isInteractive) return (await terminal.ask(question)) ?? "";
  const lines: string[] = [];
  for await (const line of terminal.lines()) lines.push(line);
  return lines.join("\n").trim();
}
