/**
 * The server for programs that embed it. Loaded on first start and typed without its internals: an
 * install has the server as one bundle, without the packages that the internal types would need.
 */
import type { CapstanConfig, Result } from "@capstan/core";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";

export interface RunningServer {
  readonly url: string;
  /** The application without its socket. */
  readonly fetch: (request: Request) => Response | Promise<Response>;
  /** Stops accepting, lets running steps finish or releases them, ends streams with a hint to reconnect. */
  close(): Promise<void>;
}

export interface StartOptions {
  readonly config?: CapstanConfig;
  /** The environment that coding agents get a part of. */
  readonly environment?: Readonly<Record<string, string>>;
}

export async function startServer(
  settings: Settings,
  log: Log,
  options: StartOptions = {},
): Promise<Result<RunningServer>> {
  const server = await import("./serve.ts");
  return server.startServer(settings, log, options);
}
