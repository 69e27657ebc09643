/** A real server for a live test: its own store, its own port, stopped with the test. */
import { openLog } from "../packages/server/src/settings/log.ts";
import { parseSettings } from "../packages/server/src/settings/settings.ts";
import type { ServerExtras } from "../packages/server/src/start/open-features.ts";
import { type RunningServer, startServer } from "../packages/server/src/start/serve.ts";
import type { FreshStore } from "./stores-under-test.ts";
import { noteSaid } from "./token-search.ts";

export interface TestServer extends RunningServer {
  /** JSON in, JSON out, with the status. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  stop(): Promise<void>;
}

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the parts it names
  readonly body: any;
  readonly headers: Headers;
}

export async function testServer(
  store: FreshStore,
  environment: Record<string, string> = {},
  extras: ServerExtras = {},
): Promise<TestServer> {
  const settings = parseSettings({
    PORT: "0",
    CAPSTAN_FIND_MODELS: "off", // a model server on the developer's machine must not answer a test
    CAPSTAN_DATA_DIR: store.dataDir,
    ...(store.url && { DATABASE_URL: store.url }),
    ...environment,
  });
  if (!settings.ok) throw new Error(settings.failure.message);
  const log = openLog((line) => {
    noteSaid("log", line);
    process.stderr.write(`${line}\n`);
  }, true);
  const started = await startServer(settings.value, log, {
    environment: { PATH: process.env.PATH ?? "", HOME: store.dataDir },
    ...extras,
  });
  if (!started.ok) throw new Error(started.failure.message);
  const server = started.value;
  return {
    ...server,
    call: (method, path, body, headers = {}) => callServer(server.url + path, method, body, headers),
    stop: async () => {
      await server.close();
      await store.drop();
    },
  };
}

export async function callServer(
  url: string,
  method: string,
  body: unknown,
  headers: Record<string, string>,
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  return { status: response.status, body: isJson ? JSON.parse(text) : text, headers: response.headers };
}
