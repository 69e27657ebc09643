/** The text of a JSONL or CSV file with cases. */
import { readFile } from "node:fs/promises";
import { datasetText } from "@capstan/client/wire";
import { fail, type Result } from "@capstan/core";

export async function readDatasetFile(path: string, usage: string): Promise<Result<string>> {
  const bytes = await readFile(path).catch(() => undefined);
  return bytes === undefined
    ? fail("command_invalid", { message: `${path} cannot be read`, usage })
    : datasetText(bytes);
}
