/** Runs a CLI command against a server under test: typed input, captured output. */

import { runCommand } from "../packages/cli/src/run-command.ts";
import { type Api, createApi } from "../packages/client/src/index.ts";

export interface Typed {
  /** Answers to prompts; with any, the terminal counts as interactive. */
  readonly answers?: readonly (string | undefined)[];
  /** Lines of a pipe. */
  readonly lines?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The API key; none on loopback. */
  readonly key?: string | undefined;
  /** How the server is found, where that is what is tested. */
  readonly reach?: () => Promise<Api>;
  /** Gets what presses Ctrl-C, and what is on the screen so far, at every piece of output. */
  readonly onOutput?: (screen: string, interrupt: () => void) => void;
}

export interface Seen {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly questions: readonly string[];
}

export async function typeCommand(url: string, args: readonly string[], typed: Typed = {}): Promise<Seen> {
  const answers = [...(typed.answers ?? [])];
  const questions: string[] = [];
  let [out, err] = ["", ""];
  let onInterrupt = () => {};
  const code = await runCommand([...args], {
    environment: typed.environment ?? {},
    server:
      typed.reach ?? (async () => createApi({ url, ...(typed.key !== undefined && { key: typed.key }) })),
    terminal: {
      isInteractive: typed.answers !== undefined,
      columns: 200,
      out: (text) => {
        out += text;
        typed.onOutput?.(out, () => onInterrupt());
      },
      err: (text) => {
        err += text;
      },
      ask: async (question, draft = "") => {
        questions.push(question + draft);
        return answers.shift();
      },
      lines: async function* () {
        yield* typed.lines ?? [];
      },
      onInterrupt: (handler) => {
        onInterrupt = handler;
        return () => {
          onInterrupt = () => {};
        };
      },
    },
  });
  return { code, out, err, questions };
}
