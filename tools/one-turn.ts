/** One turn of a new agent over AG-UI, with the built-in model: the text of its event stream. */
import type { ServerProcess } from "./server-process.ts";

export async function oneTurn({ url, call }: Pick<ServerProcess, "url" | "call">): Promise<string> {
  const { body } = await call("POST", "/v1/agents", { name: "Turn", capabilities: ["test_math"] });
  const response = await fetch(`${url}/v1/agents/${body.id}/ag-ui`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      threadId: crypto.randomUUID(),
      runId: crypto.randomUUID(),
      messages: [{ id: "m-1", role: "user", content: "add 12 and 34" }],
    }),
  });
  return response.text();
}
