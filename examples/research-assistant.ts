/** Over plain HTTP: creates an agent, changes its capabilities, runs a tool and reads the agent back. */
import { withServer } from "./with-server.ts";

await withServer(async (url) => {
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(url + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${answer.message} ${answer.nextStep}`);
    return answer;
  };

  const agent = await call("POST", "/v1/agents", {
    name: "Research Assistant",
    system_prompt: "You are a helpful research assistant.",
    capabilities: ["current_time", "test_math"],
  });
  console.log(`created ${agent.name} with ${agent.capabilities.join(", ")}`);

  const changed = await call("PATCH", `/v1/agents/${agent.id}`, {
    capabilities: ["current_time", "web_fetch", "session_file_system"],
  });
  console.log(`changed to ${changed.capabilities.join(", ")}, version ${changed.version}`);

  const { output } = await call("POST", "/v1/capabilities/current_time/tools/get_current_time", {
    input: { timezone: "Asia/Tokyo", format: "human" },
    agent_id: agent.id,
  });
  console.log("in Tokyo:", output);

  const read = await call("GET", `/v1/agents/${agent.id}`);
  console.log(`read back: ${read.name}, ${read.status}`);
});
