/** The demo model's next message: the tour, small talk, the next step's call, or the results in words. */
import type { LanguageModelV4CallOptions } from "@ai-sdk/provider";
import type { JsonSchema, JsonValue } from "@capstan/core";
import { type ChoosableTool, SUMMARY_REQUEST, stepsOf } from "@capstan/core/internal";
import { aboutCapstan } from "./about-capstan.ts";
import { chooseCall } from "./choose-call.ts";
import { digest } from "./digest.ts";
import { exampleValue } from "./example-value.ts";
import { askFor, needsModel, noFit, smallTalk } from "./small-talk.ts";
import { tourReply } from "./tour.ts";
import { lastTurn, type Reply, type Turn } from "./turn.ts";
import { wordAnswer } from "./word-answer.ts";

const MOST_STEPS = 6;

export type Asked = Pick<LanguageModelV4CallOptions, "prompt" | "tools" | "responseFormat">;

export function reply({ prompt, tools = [], responseFormat }: Asked): Reply {
  const turn = lastTurn(prompt);
  if (turn.task.startsWith(SUMMARY_REQUEST)) return { text: digest(prompt.slice(0, -1)) };
  if (responseFormat?.type === "json")
    return { text: JSON.stringify(exampleValue((responseFormat.schema ?? {}) as JsonSchema, turn.task)) };
  const offered = choosable(tools);
  const tour = tourReply(prompt, offered);
  if (tour) return tour;
  const talk = turn.calls.length === 0 ? smallTalk(turn.task, offered) : undefined;
  return talk === undefined ? nextStep(turn, offered) : { text: talk };
}

/** One step of the message after the other; when all are done, or one failed, their results. */
function nextStep({ task, calls, answers }: Turn, offered: readonly ChoosableTool[]): Reply {
  const told = answers.map((answer) => wordAnswer(answer, task));
  const step = stepsOf(task).slice(0, MOST_STEPS)[calls.length];
  if (step === undefined || answers.some(({ isError }) => isError)) return { text: told.join("\n\n") };
  const values: Record<string, JsonValue> = Object.assign({}, ...calls.map(({ input }) => input));
  const earlier = { values, result: numberOf(answers.at(-1)?.value) };
  const choice = needsModel(step, offered) ? undefined : chooseCall(step, offered, earlier);
  if (choice && "call" in choice) return choice;
  if (told.length > 0) return { text: [...told, `I did not do this part: “${step}”.`].join("\n\n") };
  return {
    text: aboutCapstan(task) ?? (choice ? askFor(choice.tool, choice.lacking) : noFit(task, offered)),
  };
}

const numberOf = (value: unknown): number | undefined => {
  const { result } = (value ?? {}) as { result?: unknown };
  return typeof result === "number" ? result : undefined;
};

const choosable = (tools: NonNullable<Asked["tools"]>): ChoosableTool[] =>
  tools.flatMap((tool) =>
    tool.type === "function"
      ? [
          {
            name: tool.name,
            description: tool.description ?? "",
            inputSchema: tool.inputSchema as JsonSchema,
          },
        ]
      : [],
  );
