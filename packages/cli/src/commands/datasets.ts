/** capstan datasets: cases to measure agents on, from recorded runs, from files, or by hand. */
import { writeFile } from "node:fs/promises";
import type { DatasetWritten } from "@capstan/client";
import { DatasetCreate, DatasetExportQuery, DatasetImport, datasetFormatOf } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { datasetIdOf, findDataset } from "../evals/find-dataset.ts";
import { readDatasetFile } from "../evals/read-dataset-file.ts";
import { printList } from "../print-table.ts";
import { selectionOf } from "../replays/replay-change.ts";
import { numberOf, requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

const NEEDED = "a dataset's name or id";

export const datasets: Command = {
  usage:
    "capstan datasets [list | create <name> | show <dataset> | versions <dataset> | " +
    "import <dataset> <file.jsonl | file.csv | run | session | key=value of a query ...> | " +
    "export <dataset> | drop <dataset> <item> | remove <dataset>] " +
    "[--description <text>] [--version <n>] [--label <name>] [--expect answer] [--scrub email|phone] [--why <text>] " +
    "[--format jsonl|csv] [--output <file>] [--purge]",
  summary:
    "Collects test cases for agents. `import` reads recorded runs or a file and reports what it removed; keys, tokens and card numbers are always removed. " +
    "Every change to the items creates a version; `drop` removes an item, with `--purge` from every version.",
  options: {
    description: { type: "string" },
    version: { type: "string" },
    label: { type: "string", multiple: true },
    expect: { type: "string" },
    scrub: { type: "string", multiple: true },
    why: { type: "string" },
    format: { type: "string" },
    output: { type: "string" },
    purge: { type: "boolean" },
  },
  examples: [
    "capstan datasets create refunds",
    "capstan datasets import refunds agent=Clerk feedback=down --why 'what people did not like'",
    "capstan datasets export refunds --output refunds.jsonl",
  ],
  run: (context) =>
    runVerb(context, datasets.usage, {
      list: { run: list },
      create: { needs: "a name", run: create },
      show: { needs: NEEDED, run: show },
      versions: { needs: NEEDED, run: versions },
      import: { needs: NEEDED, run: importItems },
      export: { needs: NEEDED, run: exportItems },
      drop: { needs: NEEDED, run: drop },
      remove: { needs: NEEDED, run: remove },
    }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).datasets.list();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, name, version, items }) => [
    id,
    name,
    `v${version}`,
    `${items} items`,
  ]);
  const none = "No datasets. `capstan datasets create <name>` makes one.";
  return print(answer.value, () =>
    printList(["ID", "NAME", "VERSION", "ITEMS"], rows, terminal.columns, none),
  );
}

async function create({ server, print, options: { description } }: CommandContext, name: string) {
  const body = requestBody(DatasetCreate, { name, description }, datasets.usage);
  if (!body.ok) return body;
  const made = await (await server()).datasets.create(body.value);
  return made.ok ? print(made.value, `Created ${made.value.id}: ${made.value.name}\n`) : made;
}

async function show({ server, print, options, terminal }: CommandContext, wanted: string) {
  const api = await server();
  const found = await findDataset(api, wanted);
  if (!found.ok) return found;
  const version = numberOf(options.version) as number | undefined;
  const [label] = listOf(options.label);
  const items = await api.datasets.everyItem(found.value.id, {
    ...(version !== undefined && { version }),
    ...(label !== undefined && { label }),
  });
  if (!items.ok) return items;
  const rows = items.value.map(({ id, input, expected, stubs = [], labels = [], scrubbed }) => [
    id,
    shortened(input),
    expected === undefined
      ? ""
      : shortened(typeof expected === "string" ? expected : JSON.stringify(expected)),
    `${stubs.length} calls`,
    labels.join(", "),
    scrubbed.length === 0 ? "" : `${scrubbed.length} scrubbed`,
  ]);
  const head = ["ITEM", "INPUT", "EXPECTED", "CALLS", "LABELS", ""];
  return print({ ...found.value, content: items.value }, () =>
    printList(head, rows, terminal.columns, `"${found.value.name}" has no items.`),
  );
}

const shortened = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
};

async function versions({ server, print, terminal }: CommandContext, wanted: string) {
  const api = await server();
  const found = await findDataset(api, wanted);
  const page = found.ok ? await api.datasets.versions(found.value.id) : found;
  if (!page.ok) return page;
  const rows = page.value.items.map(({ number, by, at, added, changed, removed, items, why }) => [
    `v${number}`,
    `${items} items`,
    `+${added} ~${changed} -${removed}`,
    by,
    at,
    why,
  ]);
  return print(page.value, () =>
    printList(["VERSION", "ITEMS", "CHANGE", "BY", "AT", "WHY"], rows, terminal.columns, "No versions."),
  );
}

async function importItems(context: CommandContext, wanted: string) {
  const { server, print, options, args } = context;
  const [, , ...words] = args;
  if (words.length === 0)
    return fail("command_invalid", {
      message: "name a file, a run, a session or a query",
      usage: datasets.usage,
    });
  const api = await server();
  const found = await datasetIdOf(api, wanted);
  if (!found.ok) return found;
  const source = await fileIn(words);
  const from =
    source.ok && source.value
      ? ok({ file: source.value })
      : source.ok
        ? await selectionOf(api, words, datasets.usage)
        : source;
  if (!from.ok) return from;
  const { expect, why } = options;
  const body = requestBody(
    DatasetImport,
    { ...from.value, labels: listOf(options.label), scrub: listOf(options.scrub), expect, why },
    datasets.usage,
  );
  if (!body.ok) return body;
  const written = await api.datasets.import(found.value, body.value);
  return written.ok ? print(written.value, () => writtenText(wanted, written.value)) : written;
}

/** A single word with a file extension is a file. */
async function fileIn(
  words: readonly string[],
): Promise<Result<{ format: "jsonl" | "csv"; text: string } | undefined>> {
  const [path = ""] = words;
  const format = datasetFormatOf(path);
  if (!format || words.length > 1) return ok(undefined);
  const text = await readDatasetFile(path, datasets.usage);
  return text.ok ? ok({ format, text: text.value }) : text;
}

function writtenText(
  name: string,
  { version, added, changed, unchanged, scrubbed, skipped }: DatasetWritten,
): string {
  const taken = Object.entries(Object.groupBy(scrubbed, ({ kind }) => kind))
    .map(([kind, each]) => `${each?.length} × ${kind}`)
    .join(", ");
  return [
    `"${name}" v${version}: ${added} added, ${changed} changed, ${unchanged} as before`,
    ...(taken === "" ? [] : [`Taken out: ${taken}`]),
    ...scrubbed.map(({ item_id, path, placeholder }) => `  ${item_id} ${path}: ${placeholder}`),
    ...skipped.map(({ run_id, why }) => `Left out ${run_id}: ${why}`),
    "",
  ].join("\n");
}

async function exportItems({ server, print, options }: CommandContext, wanted: string) {
  const { format, version, output } = options;
  const query = requestBody(DatasetExportQuery, { format, version: numberOf(version) }, datasets.usage);
  if (!query.ok) return query;
  const api = await server();
  const found = await findDataset(api, wanted);
  const text = found.ok ? await api.datasets.export(found.value.id, query.value) : found;
  if (!text.ok) return text;
  if (typeof output !== "string") return print({ format: query.value.format, text: text.value }, text.value);
  await writeFile(output, text.value);
  return print({ written: output }, `Written to ${output}\n`);
}

async function drop({ server, print, args, options }: CommandContext, wanted: string) {
  const item = args[2];
  if (item === undefined)
    return fail("command_invalid", {
      message: "drop needs a dataset and an item's id",
      usage: datasets.usage,
    });
  const api = await server();
  const found = await datasetIdOf(api, wanted);
  const gone = found.ok
    ? await api.datasets.removeItem(found.value, item, options.purge === true ? { purge: "true" } : {})
    : found;
  return gone.ok ? print(gone.value, `Dropped ${item}; it is v${gone.value.version} now\n`) : gone;
}

async function remove({ server, print }: CommandContext, wanted: string) {
  const api = await server();
  const found = await datasetIdOf(api, wanted);
  const gone = found.ok ? await api.datasets.remove(found.value) : found;
  return gone.ok ? print({ removed: wanted }, `Removed ${wanted}\n`) : gone;
}

const listOf = (value: unknown): string[] => [value ?? []].flat().map(String);
