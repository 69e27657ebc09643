/** The agent an empty install offers: useful with the demo model, harmless with any. */
import type { AgentCreate, FoundCodingAgent } from "@capstan/client";

export const STARTER_NAME = "First mate";

/** With a coding agent that is installed and logged in, that program answers; no key is needed. */
export const starterAgent = (program?: FoundCodingAgent): AgentCreate => ({
  name: STARTER_NAME,
  description:
    "Tells the time, calculates, keeps files and lists, reads web pages, runs code after approval.",
  system_prompt: "You are a helpful assistant. Use your tools when they help, and say briefly what you did.",
  capabilities: [
    "current_time",
    "test_math",
    "session_file_system",
    "stateless_todo_list",
    "web_fetch",
    "sandbox",
  ],
  tool_policies: { execute_code: "approve" },
  ...(program && { harness: program.name }),
});
