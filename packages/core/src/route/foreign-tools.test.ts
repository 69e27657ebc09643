import { describe, expect, test } from "vitest";
import { mapPayload } from "./payload.ts";

const text = { type: "string" };
const object = (properties: Record<string, object>, required: readonly string[] = []) => ({
  type: "object",
  properties,
  required,
});
const task = object({ project_id: text, name: text, notes: text, projects: { type: "array", items: text } }, [
  "project_id",
  "name",
]);
const tagged = object({ task_gid: text, tag_gid: text, opt_fields: text }, ["task_gid", "tag_gid"]);
const section = object({ section_id: text, name: text }, ["section_id", "name"]);
const author = object({ id: text, name: { anyOf: [text, { type: "null" }] } }, ["id"]);
const moved = object({ task_id: text, project_id: text }, ["task_id", "project_id"]);
const measured = object({ date: text, weight_kg: { type: ["number", "null"] } }, ["date"]);
const page = object({ page: { type: "integer", minimum: 1 }, page_size: { type: "integer" } }, ["page"]);
const one = object({ workout_id: text }, ["workout_id"]);
const sorted = object({ sort: text, limit: { type: "integer" } });
const search = object({ query: text, group: { enum: ["hamstrings", "calves"] } }, ["query"]);
const folder = object({ path: text });
const cut = object(
  { file: { ...text, description: "Path of the file." }, pattern: { type: "array", items: text } },
  ["file", "pattern"],
);

type Row = readonly [task: string, schema: Record<string, unknown>, payload: object];
const CLASSES: Readonly<Record<string, readonly Row[]>> = {
  "an optional list holds no sentence": [
    [
      "add a task called Paint the fence in project 81, by Friday",
      task,
      { project_id: "81", name: "Paint the fence" },
    ],
  ],
  "an id by any of its endings": [
    ["remove tag 5566 from task 778812", tagged, { task_gid: "778812", tag_gid: "5566" }],
    ["nimm Tag 12 von Task 9", tagged, { task_gid: "9", tag_gid: "12" }],
  ],
  "the new name of what is renamed": [
    ["rename section 3401 to Waiting for parts", section, { section_id: "3401", name: "Waiting for parts" }],
    ["rename the author aut_z3l to Terry Goodkind", author, { id: "aut_z3l", name: "Terry Goodkind" }],
    ["benenne Section 12 in Erledigt um", section, { section_id: "12", name: "Erledigt" }],
    ["renombra section 12 a Hecho", section, { section_id: "12", name: "Hecho" }],
    ["renomme section 12 en Fini", section, { section_id: "12", name: "Fini" }],
  ],
  "a phrase is no id": [["ajoute « Réserver la salle » à task 778812", moved, { task_id: "778812" }]],
  "a count is no id, and pages begin with the first": [
    ["show my last 5 workouts", one, {}],
    ["show my last 5 workouts", page, { page: 1, page_size: 5 }],
    ["page 3 of my workouts", page, { page: 3 }],
  ],
  "a type that may be null": [
    ["log my weight for 2026-11-18: 81.4 kg", measured, { date: "2026-11-18", weight_kg: 81.4 }],
  ],
  "a type that stands elsewhere, and one or several": [
    [
      "show the cancelled orders",
      {
        ...object({ status: { $ref: "#/$defs/Status" } }),
        $defs: { Status: { enum: ["open", "cancelled"] } },
      },
      { status: "cancelled" },
    ],
    [
      "sort a.txt and b.txt",
      object({ file: { anyOf: [text, { type: "array", items: text }], description: "The files." } }),
      { file: ["a.txt", "b.txt"] },
    ],
  ],
  "how many at most": [
    [
      "find products with candle in the title, at most 5",
      object({ searchTitle: text, limit: { type: "integer", default: 10 } }),
      { searchTitle: "candle", limit: 5 },
    ],
  ],
  "what a list is sorted by": [
    ["list 25 items sorted by size", sorted, { limit: 25, sort: "size" }],
    ["25 Einträge sortiert nach Größe", sorted, { limit: 25, sort: "Größe" }],
  ],
  "what a name holds": [
    [
      "find exercises for the hamstrings with curl in their name",
      search,
      { group: "hamstrings", query: "curl" },
    ],
    ["busca rutinas con la palabra espalda", search, { query: "espalda" }],
  ],
  "a folder by its noun": [
    ["liste les fichiers du dossier factures", folder, { path: "factures" }],
    ["list the files in the folder drafts", folder, { path: "drafts" }],
    ["what is in the folder that Ann made?", folder, {}],
  ],
  "a pattern between slashes": [
    [
      "split server.log at every line that matches /ERROR/",
      cut,
      { file: "server.log", pattern: ["/ERROR/"] },
    ],
  ],
};

describe.each(Object.entries(CLASSES))("%s", (_, rows) => {
  test.each(rows)("%j", (said, schema, payload) => {
    expect(mapPayload(said, schema).payload).toEqual(payload);
  });
});

test.each([
  ["apply rule 18 to my transactions", "/v1/transactions/{id}", object({ id: text }, ["id"]), ["id"]],
  ["delete bill 41", "/v1/bills/{id}", object({ id: text }, ["id"]), []],
  ["move section 12", undefined, object({ task_id: text }, ["task_id"]), ["task_id"]],
  ["lösche Aufgabe 12", undefined, object({ task_id: text }, ["task_id"]), []],
])("%j for %s: an id of another thing is a guess", (said, path, schema, guessed) => {
  expect(mapPayload(said, schema, path === undefined ? {} : { path }).guessed).toEqual(guessed);
});
