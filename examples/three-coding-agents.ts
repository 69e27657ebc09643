/**
 * Runs one agent four ways: in the server's own loop and inside three coding agents. The tools are the same, and every
 * call passes the same gate. Each program uses a key from the environment or its own login. If one is not installed or
 * cannot answer, the example prints why and what to do.
 */
import { createApi } from "@capstan/client";
import { say, value } from "./talk.ts";
import { withServer } from "./with-server.ts";

/** As root, the server would run programs as another user, who does not have your logins. */
const AS_ITSELF = { CAPSTAN_HARNESS_AS_SERVER: "claude,codex,gemini" };

await withServer(async (url) => {
  const api = createApi({ url });
  const { items } = value(await api.codingAgents.list());
  for (const harness of ["native", "claude", "codex", "gemini"]) {
    const program = items.find(({ name }) => name === harness);
    if (harness !== "native" && !program?.installed) {
      console.log(`${harness}: ${program?.problem ?? "not here"} (${program?.next_step ?? "install it"})`);
      continue;
    }
    const agent = value(
      await api.agents.create({ name: `Sums on ${harness}`, harness, capabilities: ["test_math"] }),
    );
    const session = value(await api.sessions.create({ agent_id: agent.id }));
    const answer = await say(api, session.id, "add 2 and 40 with your tool").catch(
      (error: Error) => `${error.message} (${program?.next_step ?? "see `capstan doctor`"})`,
    );
    console.log(`${harness}: ${answer}`);
  }
}, AS_ITSELF);
