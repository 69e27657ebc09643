/**
 * Copilot's log as a source of events: over ACP it says nothing while a provider limits it and it tries again, for minutes. The
 * log goes to the run's own folder, so that nobody else's lines are in it.
 */
import type { RunFile, RunPlace, SideFile } from "@capstan/core/internal";
import { z } from "zod";
import { parseObject } from "../lines/json-line.ts";

const folderOf = ({ folder }: RunPlace): string => `${folder}/logs`;

/** The options that send the log there, and a file that makes the folder. */
export const copilotLog = (
  place: RunPlace,
): { readonly argv: readonly string[]; readonly files: readonly RunFile[] } => ({
  argv: ["--log-dir", folderOf(place), "--log-level", "warning"],
  files: [{ path: `${folderOf(place)}/README`, content: "The log of one run.\n" }],
});

const FAILED = /Model provider request failed (\{.*\})\s*$/;
const facts = z.object({ http_status: z.int() });

const RATE_LIMITED = 429; // other failures are announced over ACP itself

export function copilotLogFile(place: RunPlace): SideFile {
  let attempt = 0;
  return {
    pattern: `${folderOf(place)}/*.log`,
    isOurs: () => true,
    onLine(line) {
      const { data } = facts.safeParse(parseObject(FAILED.exec(line)?.[1] ?? ""));
      if (data?.http_status !== RATE_LIMITED) return [];
      attempt += 1;
      return [
        {
          type: "retry",
          attempt,
          status: RATE_LIMITED,
          message: "The provider limits the rate; Copilot tries again.",
        },
      ];
    },
  };
}
