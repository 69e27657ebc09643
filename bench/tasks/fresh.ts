/**
 * Fresh tasks over the workshop, the desk and the built-ins, in several languages:  node bench/tasks/fresh.ts looked-at|held-out|last [--show]
 * With `--servers` or `--more-servers`: over the tools of public MCP servers, the desk and the built-ins.
 * A set is sent as it was written; what it found is in docs/routing.md with its date.
 */
import { isDeepStrictEqual, parseArgs } from "node:util";
import {
  builtinCapabilities,
  catalogCapabilities,
  placeOf,
  staticEmbedding,
  timezoneOf,
  wordGloss,
} from "@capstan/builtins";
import { createRouteIndex, plan } from "@capstan/core";
import { inEnglish, type RouteDocument, rankTools, toolDocument } from "@capstan/core/internal";
import { documentsOf, rankCapabilities } from "@capstan/runtime";
import { desk } from "./desk.ts";
import * as fresh from "./fresh-tasks.ts";
import { publicServers } from "./public-servers.ts";
import * as ofServers from "./public-tasks.ts";
import * as ofMoreServers from "./second-public-tasks.ts";
import { ANY, type DeskTask, TODAY } from "./tasks.ts";
import { workshop } from "./workshop.ts";

const { values: options, positionals } = parseArgs({
  options: { show: { type: "boolean" }, servers: { type: "boolean" }, "more-servers": { type: "boolean" } },
  allowPositionals: true,
});
const more = options["more-servers"] === true;
const set = more ? ofMoreServers : options.servers ? ofServers : fresh;
const tasks =
  positionals[0] === "last"
    ? ofMoreServers.LAST
    : positionals[0] === "held-out"
      ? set.HELD_OUT
      : set.LOOKED_AT;
const capabilities = [
  ...(more ? await publicServers("second") : options.servers ? await publicServers() : workshop),
  ...desk,
  ...builtinCapabilities(),
  ...catalogCapabilities(),
].filter(({ tools }) => tools.length > 0);
const byId = new Map(capabilities.map((capability) => [capability.id, capability]));
const index = indexOf(capabilities.flatMap(documentsOf));
const toolIndexes = new Map(capabilities.map(({ id, tools }) => [id, indexOf(tools.map(toolDocument))]));
const hints = { timezoneOf, placeOf, now: TODAY, inEnglish: (text: string) => inEnglish(text, index) };

const judged = tasks.map(judge);
const count = (key: "capability" | "tool" | "usable") => judged.filter((row) => row[key]).length;
console.log(
  `${tasks.length} tasks: right capability ${count("capability")}, right tool ${count("tool")}, usable arguments ${count("usable")}`,
);

function indexOf(documents: readonly RouteDocument[]) {
  const made = createRouteIndex({ embed: staticEmbedding(), gloss: wordGloss });
  for (const document of documents) made.add(document);
  return made;
}

function judge({ task, expected, payload: wanted = {} }: DeskTask) {
  const [step] = plan(rankCapabilities(task, index, { topK: 5, visible: () => true }), task, {
    capabilityOf: (id) => byId.get(id),
    hints,
    chooseTool: (text, { id, tools }) => {
      const toolIndex = toolIndexes.get(id);
      const toolOf = (name: string) => tools.find((tool) => tool.name === name);
      return toolIndex && rankTools(text, { index: toolIndex, toolOf, hints })[0]?.name;
    },
  });
  const capability = step?.capabilityId === expected?.[0];
  const tool = capability && step?.tool === expected?.[1];
  const usable = tool && step?.missing === undefined && fits(step?.payload ?? {}, wanted, step?.tool);
  if (options.show && !usable)
    console.log(
      `${task}\n  found  ${step?.capabilityId} ${step?.tool} ${JSON.stringify(step?.payload)} missing ${step?.missing}\n  wanted ${expected?.join(" ")} ${JSON.stringify(wanted)}`,
    );
  return { capability, tool, usable };
}

/** Every expected argument, and no other but defaults. */
function fits(
  payload: Readonly<Record<string, unknown>>,
  wanted: NonNullable<DeskTask["payload"]>,
  tool: string | undefined,
): boolean {
  const found = capabilities.flatMap(({ tools }) => tools).find(({ name }) => name === tool);
  const declared = (found?.input.jsonSchema.properties ?? {}) as Record<string, { default?: unknown }>;
  return (
    Object.entries(wanted).every(([name, value]) =>
      value === ANY ? typeof payload[name] === "string" : isDeepStrictEqual(payload[name], value),
    ) &&
    Object.entries(payload).every(
      ([name, value]) =>
        name in wanted || name === "action" || isDeepStrictEqual(value, declared[name]?.default),
    )
  );
}
