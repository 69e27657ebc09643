/** The server's log: one line per entry on stderr, JSON when it is not a terminal. Secrets and payloads never go here. */
export interface Log {
  info(message: string): void;
  error(facts: { reference?: string; path?: string; error: unknown; what?: string }): void;
}

export function openLog(write: (line: string) => void, asJson: boolean): Log {
  return {
    info: (message) => write(asJson ? JSON.stringify({ level: "info", message }) : message),
    error({ error, ...facts }) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      write(
        asJson
          ? JSON.stringify({ level: "error", ...facts, message })
          : `error ${JSON.stringify(facts)} ${message}`,
      );
    },
  };
}
