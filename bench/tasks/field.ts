/** Sends the tasks of the `field-tasks*.ts` to a running server, for real:  node bench/tasks/field.ts <set> <url> [--show] */
import { isDeepStrictEqual, parseArgs } from "node:util";
import * as first from "./field-tasks.ts";
import * as fourth from "./field-tasks-four.ts";
import * as third from "./field-tasks-three.ts";
import * as second from "./field-tasks-two.ts";
import { ANY, type DeskTask } from "./tasks.ts";

const { values: options, positionals } = parseArgs({
  options: { show: { type: "boolean" } },
  allowPositionals: true,
});
const [set = "", url = ""] = positionals;
const sets = { ...first, ...second, ...third, ...fourth };
const tasks = Object.entries(sets).find(([name]) => name.toLowerCase() === set)?.[1];
if (!tasks) throw new Error(`the sets are ${Object.keys(sets).join(", ").toLowerCase()}`);

interface Step {
  readonly capabilityId: string;
  readonly tool?: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly missing?: readonly string[];
  readonly risk?: string;
}
interface Answer {
  readonly plan: readonly Step[];
  readonly execution: { readonly steps: readonly { ok: boolean; skipped?: boolean; error?: unknown }[] };
  readonly status: string;
}

const rows: Awaited<ReturnType<typeof send>>[] = [];
for (const task of tasks) rows.push(await send(task));
const count = (key: "capability" | "tool" | "usable" | "wrongEffect") =>
  rows.filter((row) => row[key]).length;
console.log(
  `${tasks.length} tasks: right capability ${count("capability")}, right tool ${count("tool")}, usable arguments ${count("usable")}, wrong side effects ${count("wrongEffect")}`,
);

async function send({ task, expected, payload: wanted = {} }: DeskTask) {
  const response = await fetch(`${url}/api/execute-task`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ task }),
  });
  const answer = (await response.json()) as Answer;
  const [step] = answer.plan;
  const capability = step?.capabilityId === expected?.[0];
  const tool = capability && step?.tool === expected?.[1];
  const usable =
    expected === null
      ? step === undefined
      : tool && !step?.missing && fits(step?.payload ?? {}, wanted, await declaredOf(step));
  const executed = answer.execution.steps.some(({ skipped }) => !skipped);
  const wrongEffect = executed && !usable && step?.risk !== "read";
  if (options.show)
    console.log(
      `${usable ? "ok   " : "WRONG"} ${wrongEffect ? "EFFECT " : ""}${task}\n  found  ${step?.capabilityId} ${step?.tool} ${JSON.stringify(step?.payload)} missing ${step?.missing} ${answer.status} ${JSON.stringify(answer.execution.steps.map(({ ok, skipped, error }) => ({ ok, skipped, error }))).slice(0, 300)}${usable ? "" : `\n  wanted ${expected?.join(" ")} ${JSON.stringify(wanted)}`}`,
    );
  return { capability, tool, usable, wrongEffect };
}

async function declaredOf(step: Step | undefined) {
  const response = await fetch(`${url}/v1/capabilities/${step?.capabilityId}`);
  const { tools = [] } = (await response.json()) as {
    tools?: { name: string; input_schema: { properties?: Record<string, { default?: unknown }> } }[];
  };
  return tools.find(({ name }) => name === step?.tool)?.input_schema.properties ?? {};
}

/** Every expected argument, and no other but defaults, which the plan writes out. */
function fits(
  payload: Step["payload"],
  wanted: NonNullable<DeskTask["payload"]>,
  declared: Readonly<Record<string, { readonly default?: unknown }>>,
): boolean {
  const asExpected = ([name, value]: [string, unknown]) =>
    value === ANY ? typeof payload[name] === "string" : isDeepStrictEqual(payload[name], value);
  return (
    Object.entries(wanted).every(asExpected) &&
    Object.entries(payload).every(
      ([name, value]) => name in wanted || isDeepStrictEqual(value, declared[name]?.default),
    )
  );
}
