/** The ids of the built-in capabilities, under the names the specification gives them. */

export const CAPABILITY_IDS = {
  NOOP: "noop",
  CURRENT_TIME: "current_time",
  RESEARCH: "research",
  SANDBOX: "sandbox",
  FILE_SYSTEM: "session_file_system",
  TEST_MATH: "test_math",
  TEST_WEATHER: "test_weather",
  STATELESS_TODO_LIST: "stateless_todo_list",
  WEB_FETCH: "web_fetch",
} as const;

export type BuiltinId = (typeof CAPABILITY_IDS)[keyof typeof CAPABILITY_IDS];
