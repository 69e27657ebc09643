/** capstan tool run: a direct tool call through the gate. Arguments as JSON or as key=value. */

import type { Api } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";
import { nearest } from "@capstan/core/internal";
import type { Command } from "../command.ts";
import { unknownVerb } from "../run-verb.ts";
import { toolArguments } from "../tool-arguments.ts";

export const tool: Command = {
  usage: "capstan tool run <capability> <tool> [json | key=value ...] [--session id] [--agent agent]",
  summary: "Runs one tool and prints its output.",
  options: { session: { type: "string" }, agent: { type: "string" } },
  examples: [
    "capstan tool run current_time get_current_time timezone=Asia/Tokyo",
    `capstan tool run test_math add '{"a": 2, "b": 40}'`,
  ],
  async run({ args, options, server, print }) {
    const [verb, capability, name, ...rest] = args;
    if (verb !== undefined && verb !== "run")
      return fail("command_invalid", { message: unknownVerb(verb, ["run"]), usage: tool.usage });
    if (!capability || !name) {
      return fail("command_invalid", { message: "a capability and a tool are required", usage: tool.usage });
    }
    const api = await server();
    const schema = await inputSchema(api, capability, name);
    if (!schema.ok) return schema;
    const input = toolArguments(rest, schema.value, tool.usage);
    if (!input.ok) return input;
    const answer = await api.capabilities.runTool(capability, name, {
      input: input.value,
      ...(typeof options.session === "string" && { session_id: options.session }),
      ...(typeof options.agent === "string" && { agent_id: options.agent }),
    });
    if (!answer.ok) return answer;
    const { value } = answer;
    return print(value, () =>
      "approval_id" in value
        ? `Waiting for approval ${value.approval_id}: capstan approvals\n`
        : `${text(value.output)}\n`,
    );
  },
};

async function inputSchema(
  { capabilities }: Api,
  capability: string,
  name: string,
): Promise<Result<Record<string, unknown>>> {
  const found = await capabilities.get(capability);
  if (!found.ok) return found;
  const { tools } = found.value;
  const wanted = tools.find((each) => each.name === name);
  const names = tools.map((each) => each.name);
  return wanted
    ? ok(wanted.input_schema)
    : fail("tool_unknown", { tool: name, nearest: nearest(name, names), known: names });
}

const text = (output: unknown): string =>
  typeof output === "string" ? output : JSON.stringify(output, null, 2);
