/** A command of the CLI: a row in the table, loaded only when it is called, so that `capstan --version` stays fast. */

import type { ParseArgsConfig } from "node:util";
import type { Api } from "@capstan/client";
import type { Failure } from "@capstan/core";

export type OptionTable = NonNullable<ParseArgsConfig["options"]>;

export interface CommandContext {
  /** The arguments after the command's name, without options. */
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  /** `--json`: one JSON document (or one per line for streams) instead of text. */
  readonly json: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly terminal: Terminal;
  /** The server of CAPSTAN_URL, or the local one, which is started if none is running. */
  server(): Promise<Api>;
  /** Prints the value as JSON with `--json`, otherwise the text. Returns 0. */
  print(value: unknown, text: string | (() => string)): 0;
}

export interface Terminal {
  readonly isInteractive: boolean;
  /** Infinite where there is no screen. */
  readonly columns: number;
  out(text: string): void;
  err(text: string): void;
  /** Asks a person, optionally with a draft to edit; undefined when nobody can answer. */
  ask(question: string, draft?: string): Promise<string | undefined>;
  /** The lines of a pipe or a file, for commands that read their input from one. */
  lines(): AsyncIterable<string>;
  /** Sends Ctrl-C to this handler instead of ending the program; returns a function that restores it. */
  onInterrupt(handler: () => void): () => void;
}

export interface Command {
  readonly usage: string;
  readonly summary: string;
  readonly options?: OptionTable;
  readonly examples?: readonly string[];
  /** 0 = success; a failure is printed with its next step and exits with 1. */
  run(context: CommandContext): Promise<number | { readonly failure: Failure }>;
}
