/** capstan tool run: one tool by itself, through the gate. Arguments as JSON or as key=value. */
import { fail, ok, type Result } from "@capstan/core";
import type { Command } from "../command.ts";

export const tool: Command = {
  usage: "capstan tool run <capability> <tool> [json | key=value ...] [--session id] [--agent id]",
  summary: "Runs one tool and prints what it answers.",
  options: { session: { type: "string" }, agent: { type: "string" } },
  examples: [
    "capstan tool run current_time get_current_time timezone=Asia/Tokyo",
    `capstan tool run test_math add '{"a": 2, "b": 40}'`,
  ],
  async run({ args, options, json, server, terminal }) {
    const [verb, capability, name, ...rest] = args;
    if (verb !== "run" || !capability || !name) {
      return fail("command_invalid", { message: "a capability and a tool are needed", usage: tool.usage });
    }
    const input = inputOf(rest);
    if (!input.ok) return input;
    const path = `/v1/capabilities/${encodeURIComponent(capability)}/tools/${encodeURIComponent(name)}`;
    const body = {
      input: input.value,
      ...(options.session !== undefined && { session_id: options.session }),
      ...(options.agent !== undefined && { agent_id: options.agent }),
    };
    const answer = await (await server()).json<{ output?: unknown; approval_id?: string }>("POST", path, {
      json: body,
    });
    if (!answer.ok) return answer;
    if (json) terminal.out(`${JSON.stringify(answer.value)}\n`);
    else if (answer.value.approval_id)
      terminal.out(`Waits for approval ${answer.value.approval_id}: capstan approvals\n`);
    else terminal.out(`${text(answer.value.output)}\n`);
    return 0;
  },
};

const text = (output: unknown): string =>
  typeof output === "string" ? output : JSON.stringify(output, null, 2);

/** `{"a": 1}`, or `a=1 name=x`: a value that reads as JSON is JSON, anything else is text. */
export function inputOf(words: readonly string[]): Result<Record<string, unknown>> {
  const [first, ...more] = words;
  if (first?.trimStart().startsWith("{") && more.length === 0) {
    try {
      return ok(JSON.parse(first));
    } catch (error) {
      return fail("command_invalid", {
        message: `the arguments are not JSON: ${error instanceof Error ? error.message : error}`,
        usage: tool.usage,
      });
    }
  }
  const pairs = words.map((word) => /^([^=]+)=([\s\S]*)$/.exec(word));
  const bad = words.find((_, index) => !pairs[index]);
  if (bad !== undefined)
    return fail("command_invalid", { message: `"${bad}" is not key=value`, usage: tool.usage });
  return ok(Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", readValue(pair?.[2] ?? "")])));
}

function readValue(word: string): unknown {
  if (!/^(-?\d|true$|false$|null$|\[|\{|")/.test(word)) return word;
  try {
    return JSON.parse(word);
  } catch {
    return word;
  }
}
