/** Composes an agent from three capabilities, prints its tools and token cost, and chats with it. */
import { createApi } from "@capstan/client";
import { say, value } from "./talk.ts";
import { withServer } from "./with-server.ts";

await withServer(async (url) => {
  const api = createApi({ url });
  const agent = value(
    await api.agents.create({
      name: "Helper",
      system_prompt: "Be brief.",
      capabilities: ["current_time", "test_math", "session_file_system"],
    }),
  );
  const { tools, hidden_tools, tokens } = value(await api.agents.preview(agent.id));
  console.log(`${tools.length} tools, ${hidden_tools.length} hidden, ${tokens.total} tokens a call`);

  const session = value(await api.sessions.create({ agent_id: agent.id }));
  for (const text of ["add 2 and 40", "what time is it in Tokyo?"]) {
    console.log(`> ${text}\n${await say(api, session.id, text)}`);
  }
  const { items } = value(await api.sessions.messages(session.id));
  console.log(`${items.length} messages are kept; you can continue the session at any time.`);
});
