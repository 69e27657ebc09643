/**
 * Gemini CLI's log as a source of events: it tries a failed request again, up to ten times in four minutes, and no transport
 * reports it. The log goes to the run's own folder.
 */
import {
  type AdapterEvent,
  type AdapterRun,
  plainMessage,
  type RunFile,
  type RunPlace,
} from "@capstan/core/internal";

const folderOf = ({ folder }: RunPlace): string => `${folder}/logs`;
const pathOf = (place: RunPlace): string => `${folderOf(place)}/gemini.log`;

/** The variable that sends the log there, and a file that creates the folder. */
export const geminiLog = (
  place: RunPlace,
): { readonly env: Readonly<Record<string, string>>; readonly files: readonly RunFile[] } => ({
  env: { GEMINI_DEBUG_LOG_FILE: pathOf(place) },
  files: [{ path: `${folderOf(place)}/README`, content: "The log of one run.\n" }],
});

/** With a delay that the provider asked for, it is a limit of the rate; otherwise the status follows, if there was an answer. */
const FAILED =
  /^\[[^\]]*\] \[WARN\] Attempt (\d+) failed(?:(?: with status (\d{3})| with (429) error[^.]*| with 5xx error)?\. Retrying with backoff\.{3}(.*)|: (.*)\. Retrying after (\d+)ms\.{3})$/;

const RATE_LIMITED = 429;

/** A line of the log, if it is about a failed attempt. */
export function readGeminiLog(line: string): readonly AdapterEvent[] {
  const [found, attempt, status, limited, why, limit, delayMs] = FAILED.exec(line) ?? [];
  if (found === undefined) return [];
  const code = delayMs === undefined ? (status ?? limited) : RATE_LIMITED;
  return [
    {
      type: "retry",
      attempt: Number(attempt),
      message: readable(limit ?? why ?? ""),
      ...(code !== undefined && { status: Number(code) }),
      ...(delayMs !== undefined && { delayMs: Number(delayMs) }),
    },
  ];
}

/** The error is printed with its class, over several lines: a truncated document is useless. */
function readable(printed: string): string {
  const message = plainMessage(printed.replace(/^\s*_?\w*Error: /, "").replace(/^exception TypeError: /, ""));
  return message === "" || /[{}]/.test(message) ? "The request failed; Gemini CLI tries again." : message;
}

/** The run with the retries of its log. */
export const withGeminiRetries = (run: AdapterRun, place: RunPlace): AdapterRun => ({
  ...run,
  sideFiles: [
    ...(run.sideFiles ?? []),
    { pattern: pathOf(place), isOurs: () => true, onLine: readGeminiLog },
  ],
});
