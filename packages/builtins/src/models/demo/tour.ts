/**
 * The guided tour: a script that shows Capstan with this agent's own tools. Its position follows from the calls
 * made since it started, so it continues after a stop, a denial or a server restart.
 */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { JsonSchema, JsonValue } from "@capstan/core";
import type { ChoosableTool } from "@capstan/core/internal";
import { lastTurn, type Reply, type ToolAnswer, turnSince, userText } from "./turn.ts";
import { wordAnswer } from "./word-answer.ts";

export const TOUR_WORD = "tour";

const BEGIN =
  /^\/?(?:please\s+)?(?:(?:start|take|begin|show|give)\s+(?:me\s+|us\s+)?)?(?:a\s+|the\s+)?(?:guided\s+)?tour(?:\s+please)?[.!?]*$/i;
const GO_ON =
  /^(?:ok(?:ay)?,?\s+)?(?:go on|continue|resume|next|weiter)(?:\s+(?:the\s+)?tour)?(?:\s+please)?[.!]*$/i;
const COUNT_TO = 12;
const TASKS = ["Make a plan", "Write a file", "Run code after your approval", "Stop and resume"];
const UNDER_WAY = [
  "Making a plan",
  "Writing a file",
  "Running code after your approval",
  "Stopping and resuming",
];

interface TourStep {
  readonly tool: string;
  readonly input: (tool: ChoosableTool) => Readonly<Record<string, JsonValue>>;
  /** Said before the call. */
  readonly text: string;
  /** Said after it, slowly: there is time to press Stop. */
  readonly slowly?: string;
  /** Said after the result was described in words. */
  readonly after?: string;
}

const STEPS: readonly TourStep[] = [
  {
    tool: "write_todos",
    text: "Welcome to Capstan. Four things in two minutes, done with this agent's real tools.\n\n**1. A plan.** The agent keeps a task list. It stays in view beside the chat.",
    input: () => ({ todos: todosUpTo(1) }),
  },
  {
    tool: "write_file",
    text: "**2. A file.** Every session has files of its own, which no other session can see.",
    input: () => ({
      path: "/tour/notes.md",
      content: "# Notes of the tour\n\nThis file belongs to this session.\n",
    }),
    after: "Open it under Files.",
  },
  {
    tool: "execute_code",
    text: "**3. Code, after your approval.** The next call runs a program in a sandbox. If this agent asks for approval, change the name in the code before you allow it, or deny it: nothing runs until you answer.",
    input: greetingProgram,
    after:
      "The call ran with the arguments you allowed; the trace shows who allowed it and what was changed.",
  },
  {
    tool: "write_todos",
    text: "**4. Stop and resume.** I count slowly. Press **Stop** and then say “go on”, or end the server with Ctrl-C and start it again: the run continues from the last finished step.\n\n",
    slowly: counting(),
    input: () => ({ todos: todosUpTo(4) }),
  },
];

const END =
  "That was the tour. Next: open this run's **trace** to see each call, its time and who allowed it; build an agent of your own under **Agents**; and [add a provider key](/settings/models) for a model that understands you.";

/** Whether this agent has any of the tools that the tour shows. */
export const hasTour = (tools: readonly ChoosableTool[]): boolean =>
  STEPS.some((step) => tools.some(({ name }) => name === step.tool));

/** The tour's next part; undefined when no tour is active. */
export function tourReply(prompt: LanguageModelV4Prompt, tools: readonly ChoosableTool[]): Reply | undefined {
  const begun = beginOf(prompt);
  if (begun === undefined) return undefined;
  const offered = STEPS.filter(({ tool }) => tools.some(({ name }) => name === tool));
  if (!hasTour(tools))
    return {
      text: "The tour needs tools that this agent does not have: a task list, files or code. Create the starter agent on the home page, or add those capabilities, and say “tour” again.",
    };
  const { calls, answers } = turnSince(prompt, begun);
  const next = offered[calls.length];
  const isResumed = GO_ON.test(lastTurn(prompt).task.trim()) && prompt.at(-1)?.role === "user"; // its result was described before the stop
  const told = isResumed ? "" : toldAfter(offered[calls.length - 1], answers.at(-1));
  if (!next)
    return calls.length === offered.length ? { text: [told, END].filter(Boolean).join("\n\n") } : undefined;
  const tool = tools.find(({ name }) => name === next.tool);
  if (!tool) return undefined;
  const text = [told, next.text].filter(Boolean).join("\n\n");
  const call = { tool: next.tool, input: next.input(tool) };
  if (next.slowly === undefined) return { text, call };
  return isResumed ? { text: text + next.slowly, call } : { text, slowly: next.slowly, call };
}

/** Where the tour began that the last message starts or continues. */
function beginOf(prompt: LanguageModelV4Prompt): number | undefined {
  for (let at = prompt.length - 1; at >= 0; at--) {
    if (prompt[at]?.role !== "user") continue;
    const said = userText(prompt[at]).trim();
    if (BEGIN.test(said)) return at;
    if (!GO_ON.test(said)) return undefined;
  }
  return undefined;
}

function toldAfter(step: TourStep | undefined, answer: ToolAnswer | undefined): string {
  if (!step || !answer) return "";
  if (answer.isError) return `${wordAnswer(answer)}\n\nNothing ran without your yes. The tour goes on.`;
  if (step.tool === "write_todos") return "";
  return [wordAnswer(answer), step.after].filter((text) => text !== undefined).join("\n\n");
}

const todosUpTo = (done: number): JsonValue[] =>
  TASKS.map((content, at) => ({
    content,
    activeForm: UNDER_WAY[at] ?? content,
    status: at < done ? "completed" : at === done ? "in_progress" : "pending",
  }));

function greetingProgram({ inputSchema }: ChoosableTool): Record<string, JsonValue> {
  const { language } = (inputSchema.properties ?? {}) as Record<string, JsonSchema | undefined>;
  const offered = Array.isArray(language?.enum) ? language.enum : [];
  return offered.includes("python") || offered.length === 0
    ? { language: "python", code: 'name = "captain"\nprint(f"Hello, {name}!")' }
    : {
        language: String(offered[0]),
        code: PROGRAMS[String(offered[0])] ?? 'console.log("Hello, captain!")',
      };
}

const PROGRAMS: Readonly<Record<string, string>> = {
  javascript: 'const name = "captain";\nconsole.log("Hello, " + name + "!");',
  bash: 'name="captain"\necho "Hello, $name!"',
};

function counting(): string {
  return Array.from({ length: COUNT_TO }, (_, at) => `${at + 1} …`).join(" ");
}
