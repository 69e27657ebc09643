/** Reads the items of a JSONL or CSV file: all of them, or what is wrong in which line. */
import { fail, ok, type Result } from "@capstan/core";
import { faultsText, readCsv, readInput, unclearJson } from "@capstan/core/internal";
import { DatasetItemCreate } from "./datasets.ts";

/** By its name; undefined for other files. */
export function datasetFormatOf(path: string): "jsonl" | "csv" | undefined {
  if (/\.(jsonl|ndjson)$/i.test(path)) return "jsonl";
  return /\.csv$/i.test(path) ? "csv" : undefined;
}

/** UTF-8, or UTF-16 as spreadsheets write it; in another encoding, letters would be lost without a word. */
export function datasetText(bytes: Uint8Array): Result<string> {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe ? "le" : bytes[0] === 0xfe && bytes[1] === 0xff ? "be" : "";
  try {
    return ok(new TextDecoder(mark === "" ? "utf-8" : `utf-16${mark}`, { fatal: true }).decode(bytes));
  } catch {
    return fail("dataset_file_invalid", { where: "it is not text in UTF-8; save it in that encoding" });
  }
}

const MOST_ITEMS = 10_000; // of one file
const FAULTS_SHOWN = 5;

/** The items of a file, or every line that is wrong. */
export function itemsInFile(format: "jsonl" | "csv", text: string): Result<DatasetItemCreate[]> {
  const rows = format === "csv" ? csvRows(text) : ok(jsonLines(text));
  if (!rows.ok) return rows;
  if (rows.value.length === 0) return fail("dataset_file_invalid", { where: "it has no items" });
  if (rows.value.length > MOST_ITEMS)
    return fail("limit_reached", { what: "items in a file", limit: MOST_ITEMS });
  const items: DatasetItemCreate[] = [];
  const faults: string[] = [];
  for (const row of rows.value) {
    const read = itemIn(row);
    if (typeof read === "string") faults.push(read);
    else items.push(read);
  }
  const seen = new Set<string>();
  const twice = items.find(({ id }) => seen.size === seen.add(id).size);
  if (twice) faults.push(`the id "${twice.id}" is there twice`);
  return faults.length === 0 ? ok(items) : fail("dataset_file_invalid", { where: shownFaults(faults) });
}

/** The item, or what is wrong. */
function itemIn({ where, value, fault }: Row): DatasetItemCreate | string {
  if (fault !== undefined) return where + fault;
  const read = readInput(DatasetItemCreate, value);
  return read.ok ? read.value : `${where}: ${faultsText(read.faults)}`;
}

const shownFaults = (faults: readonly string[]): string =>
  faults.length > FAULTS_SHOWN
    ? `${faults.slice(0, FAULTS_SHOWN).join("; ")}; and ${faults.length - FAULTS_SHOWN} more`
    : faults.join("; ");

interface Row {
  readonly where: string;
  readonly value?: unknown;
  /** Why it has no value. */
  readonly fault?: string;
}

function jsonLines(text: string): Row[] {
  const rows: Row[] = [];
  for (const [at, line] of text
    .replace(/^\uFEFF/, "")
    .split(/\r?\n/)
    .entries()) {
    if (line.trim() === "") continue;
    const where = `line ${at + 1}`;
    const read = readJson(line);
    rows.push("fault" in read ? { where, fault: `: ${read.fault}` } : { where, ...read });
  }
  return rows;
}

type Read = { readonly value: unknown } | { readonly fault: string };

function readJson(text: string): Read {
  const fault = unclearJson(text);
  if (fault !== undefined) return { fault };
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { fault: "it is not JSON" };
  }
}

/** Columns that hold JSON; in `expected`, text that is none stays text. */
const JSON_COLUMNS: ReadonlySet<string> = new Set(["history", "stubs", "recorded", "scorers"]);

function csvRows(text: string): Result<Row[]> {
  const read = readCsv(text);
  if (!read.ok) return fail("dataset_file_invalid", { where: read.where });
  const rows: Row[] = [];
  for (const [at, cells] of read.value.entries()) {
    const where = `row ${at + 2}`;
    const filled = Object.entries(cells).filter(([, cell]) => cell !== "");
    const fields = filled.map(([name, cell]) => [name, cellValue(name, cell)] as const);
    const faults = fields.flatMap(([name, field]) => ("fault" in field ? [`${name}: ${field.fault}`] : []));
    const values = fields.map(([name, field]) => [name, "value" in field ? field.value : undefined]);
    rows.push(
      faults.length > 0
        ? { where, fault: `, ${faults.join("; ")}` }
        : { where, value: { id: String(at + 1), ...Object.fromEntries(values) } },
    );
  }
  return ok(rows);
}

function cellValue(name: string, cell: string): Read {
  if (name === "labels") return { value: cell.split(/[;,]/).map((label) => label.trim()) };
  const isJson = JSON_COLUMNS.has(name);
  if (!isJson && !(name === "expected" && /^[[{]/.test(cell))) return { value: cell };
  const read = readJson(cell);
  return isJson || "value" in read ? read : { value: cell };
}
