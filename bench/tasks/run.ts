/**
 * A hundred tasks of everyday work:  node bench/tasks/run.ts [--show]
 * Counted are the right capability, the right tool, usable arguments and the right refusal; and of what is executed without asking, how much
 * was wrong. `--show` lists the failures of the half that is not held out.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import {
  builtinCapabilities,
  catalogCapabilities,
  placeOf,
  staticEmbedding,
  timezoneOf,
} from "@capstan/builtins";
import { type Capability, createRouteIndex, plan, rank, routeDocument } from "@capstan/core";
import { type PlannedStep, rankTools, toolDocument, whatToConfirm } from "@capstan/core/internal";
import { type Finding, report } from "../result.ts";
import { desk } from "./desk.ts";
import { ANY, DESK_TASKS, type DeskTask, TODAY } from "./tasks.ts";

const { values: options } = parseArgs({ options: { show: { type: "boolean" } } });

const capabilities = [...desk, ...builtinCapabilities(), ...catalogCapabilities()].filter(
  ({ tools }) => tools.length > 0,
);
const byId = new Map(capabilities.map((capability) => [capability.id, capability]));
const index = indexOf(capabilities.map(routeDocument));
const toolIndexes = new Map(capabilities.map(({ id, tools }) => [id, indexOf(tools.map(toolDocument))]));
const hints = { timezoneOf, placeOf, now: TODAY };

interface Judged {
  readonly task: DeskTask;
  readonly step: PlannedStep | undefined;
  readonly capability: boolean;
  readonly tool: boolean;
  readonly usable: boolean;
  readonly executed: boolean;
}

const judged = DESK_TASKS.map(judge);
const keptBack = { name: "held out", rows: judged.filter((_, at) => at % 2 === 1) };
const lookedAt = { name: "looked at", rows: judged.filter((_, at) => at % 2 === 0) };
if (options.show) for (const row of lookedAt.rows) show(row);
report(finding());

function indexOf(documents: readonly Parameters<ReturnType<typeof createRouteIndex>["add"]>[0][]) {
  const made = createRouteIndex({ embed: staticEmbedding() });
  for (const document of documents) made.add(document);
  return made;
}

function judge(task: DeskTask): Judged {
  const [step] = plan(rank(task.task, index), task.task, {
    capabilityOf: (id) => byId.get(id),
    hints,
    chooseTool: (text, capability) => chosenTool(text, capability),
  });
  const executed = step !== undefined && step.missing === undefined && whatToConfirm(step).length === 0;
  if (!task.expected) {
    const refused = step === undefined;
    return { task, step, capability: refused, tool: refused, usable: refused, executed };
  }
  const [capabilityId, tool] = task.expected;
  const rightCapability = step?.capabilityId === capabilityId;
  const rightTool = rightCapability && step.tool === tool;
  return {
    task,
    step,
    capability: rightCapability,
    tool: rightTool,
    usable: rightTool && isUsable(step, task),
    executed,
  };
}

function chosenTool(text: string, { id, tools }: Capability): string | undefined {
  const toolIndex = toolIndexes.get(id);
  const toolOf = (name: string) => tools.find((tool) => tool.name === name);
  return toolIndex && rankTools(text, { index: toolIndex, toolOf, hints })[0]?.name;
}

/** Everything that is expected, and nothing else but defaults and constants. */
function isUsable(
  { capabilityId, tool, payload, missing }: PlannedStep,
  { payload: wanted = {} }: DeskTask,
): boolean {
  const { inputSchema, constants } = declared(capabilityId, tool);
  const rest = Object.entries(payload).filter(
    ([name, value]) =>
      !(name in wanted) && !isDeepStrictEqual(value, inputSchema[name]?.default) && !(name in constants),
  );
  const fits = Object.entries(wanted).every(([name, value]) =>
    value === ANY ? typeof payload[name] === "string" : isDeepStrictEqual(payload[name], value),
  );
  return fits && missing === undefined && rest.every(([name]) => name === "description");
}

function declared(capabilityId: string, tool: string | undefined) {
  const capability = byId.get(capabilityId);
  const found = capability?.tools.find(({ name }) => name === tool);
  const inputSchema = (found?.input.jsonSchema.properties ?? {}) as Record<string, { default?: unknown }>;
  return { inputSchema, constants: capability?.routing?.payload ?? {} };
}

function show({ task, step, usable }: Judged): void {
  if (usable) return;
  const found = step ? `${step.capabilityId} ${step.tool} ${JSON.stringify(step.payload)}` : "nothing";
  const wanted = task.expected ? `${task.expected.join(" ")} ${JSON.stringify(task.payload)}` : "nothing";
  console.log(`${task.task}\n  found  ${found} ${step?.missing ?? ""}\n  wanted ${wanted}`);
}

function finding(): Finding {
  const rows = [keptBack, lookedAt].map(({ name, rows: some }) => {
    const fitting = some.filter(({ task }) => task.expected !== null);
    const count = (of: readonly Judged[], is: (row: Judged) => boolean) =>
      `${of.filter(is).length} of ${of.length}`;
    const effects = some.filter(({ executed, step }) => executed && step?.risk !== "read");
    return {
      half: name,
      "right capability": count(fitting, (row) => row.capability),
      "right tool": count(fitting, (row) => row.tool),
      "usable arguments": count(fitting, (row) => row.usable),
      "rightly refused": count(
        some.filter(({ task }) => task.expected === null),
        (row) => row.usable,
      ),
      "wrong side effects": count(effects, (row) => !row.usable),
    };
  });
  const fitting = keptBack.rows.filter(({ task }) => task.expected !== null);
  const wrong = judged.filter(({ executed, usable, step }) => executed && !usable && step?.risk !== "read");
  return {
    name: "tasks",
    question: "Are everyday tasks understood, and does no guess have side effects?",
    method:
      "A hundred tasks over fourteen office capabilities, the built-ins and the catalog, written before any of them was tried. Every second task is held out: counted, never inspected. Usable means every expected argument and no other.",
    goals: [
      {
        what: "usable arguments, held out",
        value: (100 * fitting.filter(({ usable }) => usable).length) / fitting.length,
        atLeast: 85,
        unit: " %",
      },
      { what: "wrong side effects, all tasks", value: wrong.length, atMost: 0, unit: "" },
    ],
    tables: [{ title: "Tasks", rows }],
    plots: [],
  };
}
