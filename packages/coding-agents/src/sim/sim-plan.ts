/**
 * What the simulated model answers: decided by a marker in the prompt, or by a script of the test's own.
 *
 * `[[text]]` `[[think]]` `[[tool]]` (a shell command) `[[write]]` (one that writes) `[[fail]]` (one that fails)
 * `[[toolthink]]` `[[slow]]` `[[err400]]` `[[err401]]` `[[err404]]` `[[err429]]` `[[err500]]` `[[cut]]` (the connection breaks in the
 * middle) `[[run COMMAND]]` (that command) `[[call NAME {"a":1}]]` (that tool).
 */
import type { SimProperty, SimRequest, SimTool } from "./sim-request.ts";

export interface SimCall {
  readonly tool: SimTool;
  readonly input: Readonly<Record<string, unknown>>;
  /** For a tool that takes free text. */
  readonly text: string;
}

export type SimPlan =
  | { readonly kind: "error"; readonly status: number; readonly type: string; readonly message: string }
  | {
      readonly kind: "answer";
      readonly thinking: string | null;
      readonly text: string;
      readonly call: SimCall | null;
      /** Word by word, with a pause before each, until the client leaves. */
      readonly isSlow: boolean;
      /** The connection breaks after the first piece. */
      readonly isCut?: boolean;
    };

export type SimScript = (request: SimRequest) => SimPlan | string;

export const SIM_ANSWER = "The sim answer is 42.";
export const SIM_THINKING = "Let me think about the sim question step by step.";

const ERRORS: Readonly<Record<string, readonly [number, string, string]>> = {
  err400: [400, "invalid_request_error", "sim bad request"],
  err401: [401, "authentication_error", "invalid x-api-key"],
  err404: [404, "not_found_error", "models/sim-unknown is not found for this version of the API"],
  err429: [429, "rate_limit_error", "rate limited by sim"],
  err500: [500, "api_error", "sim exploded"],
};
const COMMANDS: Readonly<Record<string, string>> = {
  tool: "echo sim-tool-ok",
  toolthink: "echo sim-tool-ok",
  write: "touch sim-made.txt && echo made",
  fail: "ls /nonexistent-dir-sim",
};

/** The plan for a request; `script` may name a mode or lay out an answer of its own. */
export function simPlan(request: SimRequest, script?: SimScript): SimPlan {
  const scripted = script?.(request);
  if (typeof scripted === "object") return scripted;
  // A script decides call by call; a marker in the prompt stands for one call.
  const isDone = /^(run|call) /.test(scripted ?? "") ? false : request.isToolDone;
  return planOf(scripted ?? request.marker ?? "text", { ...request, isToolDone: isDone });
}

function planOf(mode: string, request: SimRequest): SimPlan {
  const error = ERRORS[mode];
  if (error) {
    const [status, type, message] = error;
    return { kind: "error", status, type, message };
  }
  const call = request.isToolDone ? null : callOf(mode, request.tools);
  return {
    kind: "answer",
    thinking: mode.includes("think") && !request.isToolDone ? SIM_THINKING : null,
    text: call ? "I will use a tool." : SIM_ANSWER,
    call,
    isSlow: mode === "slow",
    isCut: mode === "cut",
  };
}

function callOf(mode: string, tools: readonly SimTool[]): SimCall | null {
  const named = /^call ([\w-]+) (\{.*\})$/s.exec(mode);
  if (named) return namedCall(named[1] ?? "", named[2] ?? "{}", tools);
  const command = mode.startsWith("run ") ? mode.slice("run ".length) : COMMANDS[mode];
  const tool = command === undefined ? undefined : shellTool(tools);
  if (command === undefined || !tool) return null;
  return { tool, input: argumentsFor(tool, command), text: customText(command) };
}

/** CLIs put a prefix before the names of MCP tools, each its own. */
function namedCall(name: string, json: string, tools: readonly SimTool[]): SimCall | null {
  const tool = tools.find((one) => one.name === name) ?? tools.find((one) => one.name.endsWith(name));
  const input = JSON.parse(json) as { text?: unknown };
  if (tool) return { tool, input: { ...input }, text: typeof input.text === "string" ? input.text : json };
  const search = tools.find(({ isSearch }) => isSearch);
  return search ? { tool: search, input: { query: name }, text: name } : null;
}

const SHELLS = [
  /^(Bash|bash|shell|exec_command|local_shell|run_shell_command|shell_command|exec|terminal)$/,
  /bash|shell|exec/i,
];
const shellTool = (tools: readonly SimTool[]) =>
  SHELLS.flatMap((pattern) => tools.filter(({ name }) => pattern.test(name)))[0];

/** Codex' own `exec` is given a program in JavaScript. */
const customText = (command: string) =>
  `const r = await tools.exec_command({cmd:${JSON.stringify(command)}}); text(r.output)`;

function argumentsFor({ properties, required }: SimTool, command: string): Record<string, unknown> {
  const filled = Object.entries(properties).flatMap(([name, property]) => {
    if (/^(command|cmd|script)$/.test(name)) {
      return [[name, property.type === "array" ? ["bash", "-lc", command] : command] as const];
    }
    return required.includes(name) ? [[name, someValue(property)] as const] : [];
  });
  return Object.fromEntries(filled);
}

const VALUES: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: false,
  array: [],
  object: {},
};
/** Of several types the first: strict schemas write an optional number as one of number and null. */
const someValue = ({ enum: values, type, anyOf }: SimProperty) =>
  values?.[0] ?? VALUES[String([type ?? anyOf?.[0]?.type].flat()[0]).toLowerCase()] ?? "sim";
