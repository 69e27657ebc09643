/** The server's log: one line per entry on stderr, JSON when it is not a terminal. Never contains secrets or payloads. */
export interface Log {
  info(message: string): void;
  error(facts: { reference?: string; path?: string; error: unknown; what?: string }): void;
}

const SHORTEST_SECRET = 6; // shorter ones would match ordinary words

/** `secrets` never appear in a line, even inside an error message. */
export function openLog(
  writeLine: (line: string) => void,
  asJson: boolean,
  secrets: readonly string[] = [],
): Log {
  const hidden = secrets.filter((secret) => secret.length >= SHORTEST_SECRET);
  const write = (line: string) =>
    writeLine(hidden.reduce((shown, secret) => shown.replaceAll(secret, "***"), line));
  return {
    info: (message) => write(asJson ? JSON.stringify({ level: "info", message }) : message),
    error({ error, ...facts }) {
      const message = withoutValues(error);
      write(
        asJson
          ? JSON.stringify({ level: "error", ...facts, message })
          : `error ${JSON.stringify(facts)} ${message}`,
      );
    },
  };
}

/** An error's stack. The driver's wrapper quotes every value of the statement; those are user data, and are removed. */
function withoutValues(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { query, cause } = error as { query?: unknown; cause?: unknown };
  const stack = error.stack ?? error.message;
  if (typeof query !== "string") return stack;
  const why = cause instanceof Error ? cause.message : String(cause);
  return [`${why}, in: ${query}`, ...stack.split("\n").filter((line) => /^ {4}at /.test(line))].join("\n");
}
