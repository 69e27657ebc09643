/** Converts a command's exit to a result: JSON or text and changed files, or a typed failure with its stderr. */
import { fail, ok, type Result } from "@capstan/core";
import type { CommandOutcome } from "../commands/run-command.ts";
import type { ManifestTool } from "./manifest-tools.ts";
import type { FolderChanges } from "./session-folders.ts";

const STDERR_CHARS = 2_000;

export function commandResult(
  tool: ManifestTool,
  command: string,
  outcome: CommandOutcome,
  changes: FolderChanges,
  outputId?: string,
): Result<unknown> {
  const said = outcome.stderr.trim().slice(-STDERR_CHARS);
  switch (outcome.exit) {
    case "timeout":
      return fail("tool_timeout", { tool: tool.name, timeoutMs: tool.timeoutMs });
    case "cancelled":
      return fail("cancelled", { what: `The call of "${tool.name}"` });
    case "memory":
      return fail("command_out_of_memory", { command });
    case "not-started":
    case "flooded":
      return fail("package_broken", { name: command, why: said || "it could not be started" });
    case "exited": {
      const meaning = tool.exitCodes[outcome.code];
      if (outcome.code !== 0 && meaning !== undefined)
        return ok({ exit_code: outcome.code, meaning, ...withFiles(outputOf(outcome), changes) });
      if (outcome.code !== 0) {
        const all = said || outcome.stdout.trim().slice(-STDERR_CHARS);
        return fail("command_failed", {
          command,
          action: tool.subcommand.join(" "),
          code: outcome.code,
          said: all,
          line: lastMeaningfulLine(all),
          outputId,
        });
      }
      return ok(withChanges(outputOf(outcome), changes));
    }
  }
}

/** Stack frames, rules and `--help` hints do not tell what went wrong. */
const EMPTY_TALK =
  /^(at .*[:(].*\d+\)?$|File ".*", line \d+|Traceback|Node\.js v|\^+$|[-=~╭╰─│╮╯ ]*$|\}?$|During handling|The above exception|For more information|Try .*--help|usage:)/i;
const LINE_CHARS = 300;

/** The error in one line; the full text is in the failure's details. JSON on stderr is searched for its message. */
export function lastMeaningfulLine(text: string): string {
  const lines = text.split("\n").map((line) => line.replaceAll(/[│╭╰╮╯]/g, "").trim());
  const words = saidInJson(text) ?? lines.findLast((line) => line !== "" && !EMPTY_TALK.test(line));
  return (words ?? lines.at(-1) ?? "").slice(0, LINE_CHARS);
}

function saidInJson(text: string): string | undefined {
  try {
    const { message, error, detail } = JSON.parse(text) as Record<string, unknown>;
    return [message, error, detail].find((each) => typeof each === "string");
  } catch {
    return undefined;
  }
}

function outputOf({ stdout, cut }: CommandOutcome): unknown {
  const text = stdout.trim();
  if (cut) return `${text}\n[cut: the command printed more]`;
  if (!/^[[{"\d-]|^(true|false|null)$/.test(text)) return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "number" && String(value) !== text ? text : value; // 1.10 is a version, not 1.1
  } catch {
    return text;
  }
}

/** Files are listed only when some changed, so that a query's answer stays unchanged. */
function withChanges(result: unknown, changes: FolderChanges): unknown {
  const { written, deleted, refused } = changes;
  return written.length + deleted.length + refused.length === 0 ? result : withFiles(result, changes);
}

function withFiles(result: unknown, { written, deleted, refused }: FolderChanges) {
  return {
    result,
    ...(written.length > 0 && { files_written: written }),
    ...(deleted.length > 0 && { files_deleted: deleted }),
    ...(refused.length > 0 && { files_not_kept: refused }),
  };
}
