/** capstan chat: chat with an agent in the terminal. Ctrl-C stops the run, a second one at the prompt ends the program. */
import type { Agent, Api } from "@capstan/client";
import { ok, type Result } from "@capstan/core";
import { titleFromMessage } from "@capstan/core/internal";
import { capabilityId } from "../agents/capability-id.ts";
import { findAgent } from "../agents/find-agent.ts";
import { type Chat, openChat } from "../chat/chat-session.ts";
import type { Command, CommandContext } from "../command.ts";

const FIRST_AGENT = {
  name: "Assistant",
  system_prompt: "You are a helpful assistant.",
  capabilities: ["current_time", "test_math", "session_file_system", "web_fetch", "stateless_todo_list"],
};

export const chat: Command = {
  usage: "capstan chat [agent name or id] [--message text] [--session id]",
  summary: "Chats with an agent. Without a name it uses the first agent, and creates one if there is none.",
  options: { message: { type: "string", multiple: true }, session: { type: "string" } },
  examples: [
    "capstan chat",
    'capstan chat Assistant --message "what time is it in Tokyo"',
    "capstan chat Assistant < questions.txt",
  ],
  async run(context) {
    const api = await context.server();
    const start = await startFor(api, context);
    if (!start.ok) return start;
    let talk: Chat | undefined;
    try {
      return await converse(context, async (text) => {
        if (!talk) {
          const session = await start.value(text);
          if (!session.ok) return session;
          const { terminal, json, environment } = context;
          const colours = terminal.isInteractive && !environment.NO_COLOR;
          talk = openChat({ api, terminal, json, colours, sessionId: session.value });
        }
        return talk.say(text);
      });
    } finally {
      talk?.close();
    }
  },
};

type Say = Chat["say"];

function converse({ options, terminal }: CommandContext, say: Say) {
  const given = options.message as string[] | undefined;
  if (given) return sayAll(given, say);
  return terminal.isInteractive ? prompt(terminal, say) : sayAll(terminal.lines(), say);
}

/** Messages from the command line, or lines of a pipe, one after the other. */
async function sayAll(texts: Iterable<string> | AsyncIterable<string>, say: Say) {
  let code = 0;
  for await (const text of texts) {
    const outcome = text.trim() === "" ? 0 : await say(text);
    if (typeof outcome !== "number") return outcome;
    code = Math.max(code, outcome);
  }
  return code;
}

async function prompt(terminal: CommandContext["terminal"], say: Say): Promise<number> {
  for (;;) {
    const text = await terminal.ask("\n› ");
    if (text === undefined || text.trim() === "/exit") return 0;
    const outcome = text.trim() === "" ? 0 : await say(text);
    if (typeof outcome !== "number")
      terminal.err(`${outcome.failure.message}\n  ${outcome.failure.nextStep}\n`);
  }
}

/** The session is created with the first message: then it has a title, and without a message none is left behind. */
async function startFor(
  api: Api,
  { args, options, json, terminal }: CommandContext,
): Promise<Result<(firstMessage: string) => Promise<Result<string>>>> {
  const { session } = options;
  if (typeof session === "string") return ok(async () => ok(session));
  const agent = await agentFor(api, args[0]);
  if (!agent.ok) return agent;
  const { id, name, capabilities } = agent.value;
  if (!json) terminal.err(`${name}: ${capabilities.map(capabilityId).join(", ")}\n`);
  return ok(async (firstMessage) => {
    const made = await api.sessions.create({ agent_id: id, title: titleFromMessage(firstMessage) });
    return made.ok ? ok(made.value.id) : made;
  });
}

/** The first agent when none is named; created when there is none. */
async function agentFor(api: Api, wanted: string | undefined): Promise<Result<Agent>> {
  if (wanted !== undefined) return findAgent(api, wanted);
  const listed = await api.agents.list({ limit: 1 });
  if (!listed.ok) return listed;
  const [first] = listed.value.items;
  return first ? ok(first) : api.agents.create(FIRST_AGENT);
}
