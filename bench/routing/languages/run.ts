/**
 * Tasks of other languages over the desk of bench/tasks, the built-ins and the catalog:  node bench/routing/languages/run.ts [--show]
 * `--show` lists the failures of the half that is not held out.
 */
import { parseArgs } from "node:util";
import { builtinCapabilities, catalogCapabilities, staticEmbedding, wordGloss } from "@capstan/builtins";
import { createRouteIndex, rank, routeDocument } from "@capstan/core";
import { inEnglish } from "@capstan/core/internal";
import { CONFIDENCE_FLOORS } from "../../../packages/core/src/route/confirmation.ts";
import type { RouteDocument } from "../../../packages/core/src/route/document.ts";
import { type Finding, report } from "../../result.ts";
import { desk } from "../../tasks/desk.ts";
import { HELD_OUT_TASKS } from "./held-out-tasks.ts";
import { HOUSEHOLD, HOUSEHOLD_NOTHING_FITS, HOUSEHOLD_TASKS } from "./household-tasks.ts";
import { LANGUAGE_TASKS, type TaskLanguage } from "./language-tasks.ts";
import { NOTHING_FITS } from "./nothing-fits-tasks.ts";

const { values: options } = parseArgs({ options: { show: { type: "boolean" } } });
const LANGUAGES: readonly TaskLanguage[] = ["en", "de", "es", "fr", "pt", "ja", "zh"];
const capabilities = [...desk, ...builtinCapabilities(), ...catalogCapabilities()];
const documents = capabilities.filter(({ tools }) => tools.length > 0).map(routeDocument);
const glossed = indexOf(documents, true);
const plain = indexOf(documents, false);
const household = indexOf(HOUSEHOLD, true);
const householdPlain = indexOf(HOUSEHOLD, false);

function indexOf(all: readonly RouteDocument[], gloss: boolean) {
  const made = createRouteIndex({ embed: staticEmbedding(), ...(gloss && { gloss: wordGloss }) });
  for (const document of all) made.add(document);
  return made;
}

const found = (text: string, index: typeof glossed): string | undefined => rank(text, index).matches[0]?.id;

const neverUsed = Object.entries(HOUSEHOLD_TASKS).map(([language, tasks]) => {
  const none = HOUSEHOLD_NOTHING_FITS[language as keyof typeof HOUSEHOLD_NOTHING_FITS];
  return {
    language,
    tasks: tasks.length,
    "in English": tasks.filter(([, capability, english]) => found(english, householdPlain) === capability)
      .length,
    "without the gloss": tasks.filter(([task, capability]) => found(task, householdPlain) === capability)
      .length,
    found: tasks.filter(([task, capability]) => found(task, household) === capability).length,
    "nothing fits, refused": `${none.filter((task) => found(task, household) === undefined).length} of ${none.length}`,
  };
});

const rows = LANGUAGES.map((language) => {
  const judged = LANGUAGE_TASKS.map(({ capability, tasks }, at) => {
    const text = tasks[language];
    const right = found(text, glossed) === capability;
    if (options.show && !right && at % 2 === 0)
      console.log(
        `${language} ${text}\n  read as ${inEnglish(text, glossed)}\n  found ${found(text, glossed)}, wanted ${capability}`,
      );
    return { right, before: found(text, plain) === capability, kept: at % 2 === 1 };
  });
  const count = (some: readonly { readonly right: boolean }[]) => some.filter(({ right }) => right).length;
  return {
    language,
    tasks: judged.length,
    "without the gloss": judged.filter(({ before }) => before).length,
    right: count(judged),
    "of these, held out": `${count(judged.filter(({ kept }) => kept))} of ${judged.filter(({ kept }) => kept).length}`,
  };
});

const heldOut = Object.entries(HELD_OUT_TASKS).map(([language, tasks]) => {
  const count = (index: typeof glossed) =>
    tasks.filter(([task, capability]) => found(task, index) === capability).length;
  return { language, tasks: tasks.length, "without the gloss": count(plain), found: count(glossed) };
});

const refusals = Object.entries(NOTHING_FITS).map(([language, tasks]) => {
  const answers = tasks.map((task) => rank(task, glossed));
  const taken = answers.filter(({ noMatch, isFallback }) => !noMatch && !isFallback);
  return {
    language,
    tasks: tasks.length,
    refused: tasks.length - taken.length,
    "sure enough to change something": taken.filter(({ confidence }) => confidence >= CONFIDENCE_FLOORS.write)
      .length,
  };
});

const foreign = rows.filter(({ language }) => language !== "en");
const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);
const finding: Finding = {
  name: "languages",
  question: "Do tasks in other languages find English capabilities?",
  method:
    "First, sixty tasks written by someone who had not read the dictionary. Then twelve requests in seven languages, written before any dictionary was consulted; every second one was held out while the gloss was built, but the author of its everyday words knew them all. A refused task counts as wrong.",
  goals: [
    {
      what: "found in six languages, an unseen catalog",
      value: (100 * sum(neverUsed.map((row) => row.found))) / sum(neverUsed.map(({ tasks }) => tasks)),
      atLeast: 75,
      unit: " %",
    },
    {
      what: "found in six languages, held out",
      value: (100 * sum(heldOut.map((row) => row.found))) / sum(heldOut.map(({ tasks }) => tasks)),
      atLeast: 75,
      unit: " %",
    },
    {
      what: "found in six languages, known during development",
      value: (100 * sum(foreign.map(({ right }) => right))) / sum(foreign.map(({ tasks }) => tasks)),
      atLeast: 75,
      unit: " %",
    },
  ],
  tables: [
    { title: "An unseen catalog", rows: neverUsed },
    { title: "Held out", rows: heldOut },
    { title: "Known during development", rows },
    { title: "Nothing fits", rows: refusals },
  ],
  plots: [],
};
report(finding);
