/**
 * Copilot's log as a source of events: over ACP it is silent for minutes while it is rate-limited and retries. The
 * log goes to the run's own folder, so that nobody else's lines are in it.
 */
import type { AdapterEvent, AdapterRun, RunFile, RunPlace, SideFile } from "@capstan/core/internal";
import { z } from "zod";
import { parseObject } from "../lines/json-line.ts";

const folderOf = ({ folder }: RunPlace): string => `${folder}/logs`;

/** The options that send the log there, and a file that creates the folder. */
export const copilotLog = (
  place: RunPlace,
): { readonly argv: readonly string[]; readonly files: readonly RunFile[] } => ({
  argv: ["--log-dir", folderOf(place), "--log-level", "warning"],
  files: [{ path: `${folderOf(place)}/README`, content: "The log of one run.\n" }],
});

type Retry = Extract<AdapterEvent, { type: "retry" }>;

const FAILED = /Model provider request failed (\{.*\})\s*$/;
const facts = z.object({ http_status: z.int() });

const RATE_LIMITED = 429; // over ACP these are never announced

/**
 * The run with the retries of its log. Over ACP it announces others than 429, without their reason: the first announcement
 * belongs to the first failure in the log, whichever is read first.
 */
export function withLoggedRetries(run: AdapterRun, place: RunPlace): AdapterRun {
  const announced: Retry[] = [];
  const failures: number[] = [];
  let attempt = 0;
  const paired = (): Retry[] => {
    const retry = failures.length > 0 ? announced.shift() : undefined;
    return retry ? [{ ...retry, status: failures.shift() }, ...paired()] : [];
  };
  const log: SideFile = {
    pattern: `${folderOf(place)}/*.log`,
    isOurs: () => true,
    onLine(line) {
      const { data } = facts.safeParse(parseObject(FAILED.exec(line)?.[1] ?? ""));
      if (data === undefined) return [];
      if (data.http_status !== RATE_LIMITED) {
        failures.push(data.http_status);
        return paired();
      }
      attempt += 1;
      const message = "The provider limits the rate; Copilot tries again.";
      return [{ type: "retry", attempt, status: RATE_LIMITED, message }];
    },
  };
  return {
    ...run,
    onLine(line) {
      const step = run.onLine(line);
      announced.push(...step.events.filter((event) => event.type === "retry"));
      const others = step.events.filter(({ type }) => type !== "retry");
      return { ...step, events: [...paired(), ...others] };
    },
    end: (exit) => [...announced.splice(0), ...(run.end?.(exit) ?? [])],
    sideFiles: [...(run.sideFiles ?? []), log],
  };
}
