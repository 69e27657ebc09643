/** capstan chat: talk to an agent in the terminal. Ctrl-C stops the run, a second one at the prompt ends the program. */
import { type Agent, type Api, type Connection, createApi } from "@capstan/client";
import { ok, type Result } from "@capstan/core";
import { findAgent } from "../agents/find-agent.ts";
import { openChat } from "../chat/chat-session.ts";
import type { Command, CommandContext } from "../command.ts";

const FIRST_AGENT = {
  name: "Assistant",
  system_prompt: "You are a helpful assistant.",
  capabilities: ["current_time", "test_math", "session_file_system", "web_fetch", "stateless_todo_list"],
};

export const chat: Command = {
  usage: "capstan chat [agent name or id] [--message text] [--session id]",
  summary: "Talks to an agent. Without an agent it uses the first one, and makes one when there is none.",
  options: { message: { type: "string", multiple: true }, session: { type: "string" } },
  examples: [
    "capstan chat",
    'capstan chat Assistant --message "what time is it in Tokyo"',
    "capstan chat Assistant < questions.txt",
  ],
  async run(context) {
    const connection = await context.server();
    const session = await sessionFor(connection, context);
    if (!session.ok) return session;
    const talk = openChat({
      connection,
      terminal: context.terminal,
      sessionId: session.value,
      json: context.json,
    });
    try {
      return await converse(context, talk.say);
    } finally {
      talk.close();
    }
  },
};

type Say = ReturnType<typeof openChat>["say"];

function converse({ options, terminal }: CommandContext, say: Say) {
  const given = options.message as string[] | undefined;
  if (given) return sayAll(given, say);
  return terminal.isInteractive ? prompt(terminal, say) : sayAll(terminal.lines(), say);
}

/** Messages of the command line, or lines of a pipe, one after the other. */
async function sayAll(texts: Iterable<string> | AsyncIterable<string>, say: Say) {
  for await (const text of texts) {
    const failure = text.trim() === "" ? undefined : await say(text);
    if (failure) return { failure };
  }
  return 0;
}

async function prompt(terminal: CommandContext["terminal"], say: Say): Promise<number> {
  for (;;) {
    const text = await terminal.ask("\n› ");
    if (text === undefined || text.trim() === "/exit") return 0;
    const failure = text.trim() === "" ? undefined : await say(text);
    if (failure) terminal.err(`${failure.message}\n  ${failure.nextStep}\n`);
  }
}

async function sessionFor(
  connection: Connection,
  { args, options, json, terminal }: CommandContext,
): Promise<Result<string>> {
  if (typeof options.session === "string") return ok(options.session);
  const api = createApi(connection);
  const agent = await agentFor(api, args[0]);
  if (!agent.ok) return agent;
  const made = await api.sessions.create({ agent_id: agent.value.id });
  if (!made.ok) return made;
  if (!json) terminal.err(`${agent.value.name}: ${agent.value.capabilities.join(", ")}\n`);
  return ok(made.value.id);
}

/** The first agent when none is named; one is made when there is none. */
async function agentFor(api: Api, wanted: string | undefined): Promise<Result<Agent>> {
  if (wanted !== undefined) return findAgent(api, wanted);
  const listed = await api.agents.list({ limit: 1 });
  if (!listed.ok) return listed;
  const [first] = listed.value.items;
  return first ? ok(first) : api.agents.create(FIRST_AGENT);
}
