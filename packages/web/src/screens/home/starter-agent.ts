/** The agent an empty install offers: useful with the offline model, harmless with any. */
import type { AgentCreate } from "@capstan/client";

export const STARTER_AGENT: AgentCreate = {
  name: "First mate",
  description: "Tells the time, calculates, keeps files and lists, reads web pages.",
  system_prompt: "You are a helpful assistant. Use your tools when they help, and say briefly what you did.",
  capabilities: ["current_time", "test_math", "session_file_system", "stateless_todo_list", "web_fetch"],
};
