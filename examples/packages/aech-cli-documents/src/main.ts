#!/usr/bin/env node
/**
 * aech-cli-documents: convert and extract. Prints one JSON document with --json, a path per line without.
 * Failures go to stderr with a non-zero exit code: 1 = the document could not be converted, 2 = wrong arguments.
 */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { convert, extract, type Written } from "./documents.ts";

const FILE_SECONDS = 120;
const ACTIONS: Record<
  string,
  (job: { input: string; outputDir: string; format: string | undefined }) => Promise<Written>
> = {
  convert,
  extract,
};

async function main(argv: string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === "--help" || argv[0] === "-h")) {
    process.stdout.write(readFileSync(new URL("../manifest.json", import.meta.url)));
    return 0;
  }
  const [name = "", ...rest] = argv;
  const action = ACTIONS[name];
  if (!action) return refuse(2, `unknown action "${name}"; there are ${Object.keys(ACTIONS).join(" and ")}`);
  try {
    const options = {
      "output-dir": { type: "string" },
      format: { type: "string" },
      json: { type: "boolean", default: false },
    } as const;
    const { values, positionals } = parseArgs({ args: rest, options, allowPositionals: true });
    const [input] = positionals;
    const outputDir = values["output-dir"];
    if (input === undefined || positionals.length > 1 || outputDir === undefined) {
      return refuse(2, `usage: aech-cli-documents ${name} <input> --output-dir <folder> [--format <format>]`);
    }
    const written = await action({ input, outputDir, format: values.format });
    console.log(values.json ? JSON.stringify(written) : written.files.join("\n"));
    return 0;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return refuse(code?.startsWith("ERR_PARSE_ARGS") ? 2 : 1, message);
  }
}

function refuse(code: number, message: string): number {
  console.error(`error: ${message}`);
  return code;
}

setTimeout(
  () => process.exit(refuse(1, `it took longer than ${FILE_SECONDS} s`)),
  FILE_SECONDS * 1000,
).unref();
process.exitCode = await main(process.argv.slice(2));
