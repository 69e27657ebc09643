/** A call that requires approval: the person edits its arguments, and the agent continues with the edited ones. */
import { createApi } from "@capstan/client";
import { heard, say, value } from "./talk.ts";
import { withServer } from "./with-server.ts";

await withServer(async (url) => {
  const api = createApi({ url });
  const agent = value(
    await api.agents.create({
      name: "Careful",
      capabilities: ["test_math"],
      tool_policies: { multiply: "approve" },
    }),
  );
  const session = value(await api.sessions.create({ agent_id: agent.id }));
  await say(api, session.id, "multiply 6 and 70");

  const { items } = value(await api.approvals.list({ session_id: session.id, status: "pending" }));
  const [asked] = items;
  if (!asked) throw new Error("no approval was requested");
  console.log(`asked: ${asked.tool} ${JSON.stringify(asked.input)} (${asked.reason})`);

  const seen = value(await api.sessions.events(session.id)).items.at(-1)?.seq;
  value(await api.approvals.answer(asked.id, { decision: "approve", edited_args: { a: 6, b: 7 } }));
  console.log(`answer: ${await heard(api, session.id, asked.run_id ?? "", seen)}`);
});
