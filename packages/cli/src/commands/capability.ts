/** capstan capability test: repeats a capability's recorded calls with the currently registered code. */
import type { CapabilityTestReport } from "@capstan/client";
import { CapabilityTestCreate } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printTable } from "../print-table.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const capability: Command = {
  usage: "capstan capability test <id> [--limit 200]",
  summary:
    "Repeats a capability's recorded calls against the registered code and reports what breaks. " +
    "Only read-only tools are called; for the others, schemas are checked. Exits with 1 on a breaking change.",
  options: { limit: { type: "string" } },
  examples: ["capstan capability test web_fetch", "capstan capability test web_fetch --limit 50 --json"],
  run: (context) => runVerb(context, capability.usage, { test: { needs: "a capability's id", run: test } }),
};

async function test({ server, options, print }: CommandContext, id: string) {
  const body = requestBody(CapabilityTestCreate, { limit: numberOf(options.limit) }, capability.usage);
  if (!body.ok) return body;
  const tested = await (await server()).capabilities.test(id, body.value);
  if (!tested.ok) return tested;
  print(tested.value, () => reportText(tested.value));
  return tested.value.verdict === "breaking" || tested.value.verdict === "incomplete" ? 1 : 0;
}

const SAID = {
  same: "nothing breaks",
  breaking: "a breaking change",
  incomplete: "time ran out before every call was tested; use --limit",
  untested: "no recorded call could be tested",
};

function reportText({ capability_id, version, verdict, counts, calls }: CapabilityTestReport): string {
  const counted = Object.entries(counts).flatMap(([name, count]) =>
    count > 0 ? [`${count} ${name.replaceAll("_", " ")}`] : [],
  );
  const rows = calls
    .filter((call) => call.verdict !== "same" && call.verdict !== "checked")
    .flatMap((call) => [
      [`  ${call.verdict.replaceAll("_", " ")}`, call.tool, call.why],
      ...(call.input === null ? [] : [["", "arguments", call.input]]),
      ...(call.after === null
        ? []
        : [
            ["", "before", call.before ?? ""],
            ["", "now", call.after],
          ]),
    ]);
  const unrun = [
    ...new Map(calls.filter((call) => call.verdict === "checked").map((call) => [call.tool, call.why])),
  ];
  return [
    `${capability_id} ${version}: ${SAID[verdict]}${counted.length > 0 ? ` (${counted.join(", ")})` : ""}\n`,
    printTable(rows, Number.POSITIVE_INFINITY),
    ...unrun.map(([tool, why]) => `  ${tool}: ${why}\n`),
  ].join("");
}
