/** The real terminal. */
import { createInterface } from "node:readline/promises";
import type { Terminal } from "./command.ts";

export function openTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
  errors: NodeJS.WriteStream,
): Terminal {
  output.on("error", exitOnClosedPipe);
  const isInteractive = input.isTTY === true && output.isTTY === true;
  return {
    isInteractive,
    columns: output.columns ?? Number.POSITIVE_INFINITY, // a pipe or a file gets whole lines
    out: (text) => output.write(text),
    err: (text) => errors.write(text),
    onInterrupt(handler) {
      process.on("SIGINT", handler);
      return () => process.off("SIGINT", handler);
    },
    lines: () => createInterface({ input }),
    async ask(question, draft) {
      if (!isInteractive) return undefined;
      const lines = createInterface({ input, output });
      try {
        return await new Promise<string | undefined>((resolve) => {
          lines.once("SIGINT", () => resolve(undefined));
          lines.once("close", () => resolve(undefined));
          lines.question(question).then(resolve, () => resolve(undefined));
          if (draft !== undefined) lines.write(draft);
        });
      } finally {
        lines.close();
      }
    },
  };
}

/** `capstan models | head` closes the pipe: not an error. */
function exitOnClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(0);
  throw error;
}
