/** Datasets: cases to measure agents on, from recorded runs, from files, or written by hand; in versions. */
import { GATE_ANSWERS, TEXT_KINDS } from "@capstan/core/internal";
import { z } from "zod";
import { Json, PageQuery, pageOf, queryNumber, queryText, textPageQuery } from "./page.ts";
import { readBack } from "./read-back.ts";
import { RecordedRunQuery } from "./replays.ts";
import { ScorerSpec } from "./scorers.ts";

const MOST_AT_ONCE = 1000;
const LONGEST_TEXT = 200_000;
const Text = z.string().max(LONGEST_TEXT);

const ItemStub = z
  .strictObject({
    tool: z.string().min(1).max(200),
    input: Json.optional().meta({ description: "Absent: it answers every call of the tool." }),
    output: Json.optional(),
    error: z
      .strictObject({ code: z.string().max(200), message: Text, nextStep: Text.optional() })
      .optional()
      .meta({ description: "The tool failed, or the call was refused." }),
    turn: z.int().min(0).max(10_000).optional().meta({
      description: "Which answer of the model made the call, from 0. Absent: one call per answer.",
    }),
    gate: z.enum(GATE_ANSWERS).optional(),
    edited: Json.optional().meta({
      description: "The arguments it ran with, where the person who approved it changed them.",
    }),
  })
  .meta({ id: "DatasetStub", description: "The result of a tool." });

const ItemTurn = z
  .strictObject({
    role: z.enum(["user", "assistant"]),
    text: Text,
    calls: z.array(ItemStub).max(500).optional(),
  })
  .meta({ id: "DatasetTurn" });

const ItemLabel = z.string().min(1).max(100);

export const DatasetItemCreate = z
  .strictObject({
    id: z.string().min(1).max(200),
    input: Text.min(1).meta({ description: "The message that starts the run." }),
    history: z.array(ItemTurn).max(500).optional().meta({ description: "What was said before." }),
    expected: Json.optional().meta({ description: "What scorers compare with." }),
    stubs: z.array(ItemStub).max(1000).optional().meta({
      description: "What tools answer. Nothing with side effects runs, so a call without one ends the case.",
    }),
    recorded: z
      .strictObject({
        answer: Text,
        outcome: z.string().max(200).default("done"),
        tokens: z.number().min(0).optional(),
        cost_usd: z.number().min(0).optional(),
        model_ms: z.number().min(0).optional(),
      })
      .optional()
      .meta({ description: "What the recorded run ended with." }),
    scorers: z.array(ScorerSpec).max(30).optional().meta({ description: "Beside those of the experiment." }),
    labels: z.array(ItemLabel).max(50).optional(),
    note: z.string().max(5_000).optional(),
  })
  .meta({ id: "DatasetItemCreate", description: "One case; also one line of a JSONL file." });
export type DatasetItemCreate = z.input<typeof DatasetItemCreate>;

const ScrubbedText = z
  .object({ path: z.string(), kind: z.enum(TEXT_KINDS), placeholder: z.string() })
  .meta({ id: "ScrubbedText", description: "Where something was removed; the text itself is not kept." });

export const DatasetItem = DatasetItemCreate.extend({
  scrubbed: z.array(ScrubbedText),
  source: z.object({
    kind: z.enum(["run", "file", "hand"]),
    by: z.string(),
    run_id: z.uuid().nullable(),
    session_id: z.uuid().nullable(),
    agent_id: z.uuid().nullable(),
    revision: z.int().nullable(),
  }),
  since_version: z.int().meta({ description: "The version that brought it in this form." }),
}).meta({ id: "DatasetItem" });
export type DatasetItem = z.infer<typeof DatasetItem>;
export const DatasetItemPage = pageOf(DatasetItem).meta({ id: "DatasetItemPage" });

const Name = z.string().trim().min(1).max(200);
const Description = z.string().max(5_000);
const kept = {
  id: z.uuid(),
  version: z.int().meta({ description: "The newest; 0 while it is empty." }),
  items: z.int().meta({ description: "Of the newest version." }),
  created_by: z.string(),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
};

export const DatasetCreate = z
  .strictObject({ name: Name, description: Description.default("") })
  .meta({ id: "DatasetCreate" });
export type DatasetCreate = z.input<typeof DatasetCreate>;
export const DatasetPatch = z
  .strictObject({ ...readBack(kept), name: Name.optional(), description: Description.optional() })
  .meta({ id: "DatasetPatch" });
export type DatasetPatch = z.input<typeof DatasetPatch>;

export const Dataset = z
  .object({
    id: kept.id,
    name: z.string(),
    description: z.string(),
    version: kept.version,
    items: kept.items,
    created_by: kept.created_by,
    created_at: kept.created_at,
    updated_at: kept.updated_at,
  })
  .meta({ id: "Dataset" });
export type Dataset = z.infer<typeof Dataset>;
export const DatasetPage = pageOf(Dataset).meta({ id: "DatasetPage" });
export const DatasetQuery = PageQuery.extend({
  name: z.string().max(200).optional().meta({ description: "Exactly this name." }),
  q: queryText("the name or the description"),
});
export type DatasetQuery = z.input<typeof DatasetQuery>;

export const DatasetVersion = z
  .object({
    number: z.int(),
    by: z.string(),
    at: z.iso.datetime(),
    why: z.string(),
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    items: z.int(),
  })
  .meta({ id: "DatasetVersion" });
export type DatasetVersion = z.infer<typeof DatasetVersion>;
export const DatasetVersionPage = pageOf(DatasetVersion).meta({ id: "DatasetVersionPage" });
export const DatasetVersionQuery = textPageQuery("who made it, or why");
export type DatasetVersionQuery = z.input<typeof DatasetVersionQuery>;

const Version = () => queryNumber(z.int().min(1)).optional().meta({ description: "Default: the newest." });
export const DatasetItemQuery = PageQuery.extend({
  version: Version(),
  label: ItemLabel.optional(),
  q: queryText("the id, the input or the note"),
});
export type DatasetItemQuery = z.input<typeof DatasetItemQuery>;

export const DATASET_FORMATS = ["jsonl", "csv"] as const;
export const DatasetExportQuery = z.strictObject({
  format: z.enum(DATASET_FORMATS).default("jsonl"),
  version: Version(),
});
export type DatasetExportQuery = z.input<typeof DatasetExportQuery>;

export const DatasetItemParams = z.object({ id: z.string(), item_id: z.string() });
export const DatasetPurgeQuery = z.strictObject({
  purge: z
    .enum(["true", "false"])
    .optional()
    .meta({ description: "Delete it from every version, for good. Otherwise older versions keep it." }),
});

const Scrub = z.array(z.enum(TEXT_KINDS)).default([]).meta({
  description: "What to remove in addition to keys, tokens and card numbers, which are always removed.",
});
const Why = z.string().max(1_000).default("");

export const DatasetItemsPut = z
  .strictObject({ items: z.array(DatasetItemCreate).min(1).max(MOST_AT_ONCE), scrub: Scrub, why: Why })
  .meta({ id: "DatasetItemsPut" });
export type DatasetItemsPut = z.input<typeof DatasetItemsPut>;

export const DatasetImport = z
  .strictObject({
    runs: z.array(z.uuid()).min(1).max(MOST_AT_ONCE).optional(),
    sessions: z.array(z.uuid()).min(1).max(MOST_AT_ONCE).optional(),
    query: RecordedRunQuery.optional(),
    file: z
      .strictObject({ format: z.enum(DATASET_FORMATS), text: z.string().max(32_000_000) })
      .optional()
      .meta({
        description: "JSONL with an item on each line, or CSV with columns named like an item's fields.",
      }),
    expect: z.enum(["nothing", "answer"]).default("nothing").meta({
      description: "`answer`: the recorded answer is the expected one, as for runs that people liked.",
    }),
    labels: z.array(ItemLabel).max(50).default([]),
    scrub: Scrub,
    why: Why,
  })
  .refine(
    ({ file, runs, sessions, query }) =>
      [file, runs, sessions, query].filter((each) => each !== undefined).length === 1,
    "give one of runs, sessions, query and file",
  )
  .meta({ id: "DatasetImport" });
export type DatasetImport = z.input<typeof DatasetImport>;

export const DatasetWritten = z
  .object({
    version: z.int().meta({ description: "As before when nothing changed." }),
    added: z.int(),
    changed: z.int(),
    removed: z.int(),
    unchanged: z.int(),
    scrubbed: z
      .array(ScrubbedText.extend({ item_id: z.string() }))
      .meta({ description: "What was removed, by item." }),
    skipped: z
      .array(z.object({ run_id: z.uuid(), why: z.string() }))
      .meta({ description: "Runs that cannot be an item." }),
  })
  .meta({ id: "DatasetWritten" });
export type DatasetWritten = z.infer<typeof DatasetWritten>;
