/** First messages that show what an agent can do. Each is offered only where its capability is there. */
const BY_CAPABILITY: [capability: string, text: string][] = [
  ["current_time", "What time is it in Tokyo?"],
  ["test_math", "Add 2 and 40"],
  ["test_weather", "What is the weather in Lisbon?"],
  ["session_file_system", "Write hello to /notes.txt and read it back"],
  ["stateless_todo_list", "Plan these three things: pack, sail, sleep"],
  ["research", "Research the history of the capstan"],
];
const MOST = 4;
const TOUR = "Take the tour"; // the demo model understands these
/** Whose tools the tour shows; without any of them there is none. */
const TOURED: readonly string[] = ["stateless_todo_list", "session_file_system", "sandbox"];

export function suggestionsFor(capabilities: readonly string[], isDemo: boolean): string[] {
  const shown = BY_CAPABILITY.filter(([id]) => capabilities.includes(id))
    .map(([, text]) => text)
    .slice(0, MOST);
  return isDemo && capabilities.some((id) => TOURED.includes(id)) ? [TOUR, ...shown] : shown;
}
