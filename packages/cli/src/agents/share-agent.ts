/** capstan agents share, unshare: who can use an agent, and with which rights. */
import type { AgentSharingWire, Api } from "@capstan/client";
import { AgentSharingWire as Sharing } from "@capstan/client/wire";
import { fail } from "@capstan/core";
import type { CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { findAgent } from "./find-agent.ts";

const USAGE =
  "capstan agents share <agent> [--with <address or group:claim=value>... [--may use,change,approve]] [--private | --all] | unshare <agent> --with <address or group:claim=value>...";

const ACCESS = {
  private: "Only its owner and admins.",
  shared: "Its owner, admins, and:",
  all: "Everyone may use it.",
} as const;

/** Without options it shows the shares; `--with` shares the agent with these only, `--all` with everyone. */
export async function shareAgent(context: CommandContext, wanted: string) {
  const { server, options } = context;
  const api = await server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const { id } = agent.value;
  const whom = subjects(options.with);
  const now = await api.agents.shares(id);
  if (!now.ok) return now;
  const wish = wishOf(context, whom, now.value);
  if (!wish) return show(context, now.value);
  if (wish.access === "private" && wish.shares.length > 0)
    return fail("command_invalid", { message: "--private shares with nobody", usage: USAGE });
  return save(context, api, id, wish);
}

/** What the options ask for; undefined when they ask for nothing. */
function wishOf({ options }: CommandContext, whom: readonly string[], now: AgentSharingWire) {
  const { private: isPrivate, all: isAll, may = "use" } = options;
  if (whom.length === 0 && !isPrivate && !isAll) return undefined;
  const rights = String(may).split(",");
  const added = whom.map((each) => ({ with: each, rights }));
  if (isPrivate) return { access: "private", shares: added };
  const kept = (now.shares ?? []).filter((share) => !whom.includes(share.with));
  return { access: isAll ? "all" : "shared", shares: [...kept, ...added] };
}

export async function unshareAgent(context: CommandContext, wanted: string) {
  const api = await context.server();
  const agent = await findAgent(api, wanted);
  if (!agent.ok) return agent;
  const whom = subjects(context.options.with);
  if (whom.length === 0) return fail("command_invalid", { message: "unshare needs --with", usage: USAGE });
  const now = await api.agents.shares(agent.value.id);
  if (!now.ok) return now;
  const shares = (now.value.shares ?? []).filter((share) => !whom.includes(share.with));
  return save(context, api, agent.value.id, { access: now.value.access, shares });
}

async function save(
  context: CommandContext,
  api: Api,
  id: string,
  sharing: Readonly<Record<string, unknown>>,
) {
  const body = requestBody(Sharing, sharing, USAGE);
  if (!body.ok) return body;
  const saved = await api.agents.share(id, body.value);
  return saved.ok ? show(context, saved.value) : saved;
}

function show({ print, terminal }: CommandContext, sharing: AgentSharingWire) {
  const rows = (sharing.shares ?? []).map((share) => [share.with, share.rights.join(", ")]);
  const list = rows.length > 0 ? printList(["WITH", "MAY"], rows, terminal.columns, "") : "";
  return print(sharing, () => `${ACCESS[sharing.access]}\n${list}`);
}

/** An address alone is a person's. */
const subjects = (given: unknown): string[] =>
  (Array.isArray(given) ? given.map(String) : []).map((each) =>
    /^(user|group):/.test(each) ? each : `user:${each}`,
  );
