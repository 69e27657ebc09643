/**
 * The listening socket. It may open before the application is ready: while startup waits for the
 * database, `/health` answers (the process is alive) and everything else gets 503 with a retry hint.
 */
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { fail, ok, type Result } from "@capstan/core";
import { serve as listen } from "@hono/node-server";
import { Hono } from "hono";
import type { Settings } from "../settings/settings.ts";
import { problem } from "./problem.ts";
import { answerUnreadable } from "./unreadable-requests.ts";

const GOODBYE_MS = 1000; // time for streams to send their last hint; what is still open then is closed

type Handler = Parameters<typeof listen>[0]["fetch"];

export class HttpListener {
  readonly #settings: Pick<Settings, "HOST" | "PORT">;
  #handler: Handler = unavailableApp().fetch;
  #server: Server | undefined;
  #opened: Promise<Result<string>> | undefined;

  constructor(settings: Pick<Settings, "HOST" | "PORT">) {
    this.#settings = settings;
  }

  /** Returns the address. A port in use is reported when there is something to serve. */
  open(handler: Handler): Promise<Result<string>> {
    this.#handler = handler;
    this.#opened ??= this.#listen();
    return this.#opened;
  }

  async openWhileWaiting(): Promise<void> {
    this.#opened ??= this.#listen();
    await this.#opened;
  }

  /** Stops accepting, lets `drain` finish active requests, then closes every connection. */
  async close(drain: () => Promise<void> = async () => {}): Promise<void> {
    await this.#opened;
    const server = this.#server;
    const closed = server?.listening ? new Promise((resolve) => server.close(resolve)) : undefined;
    await drain();
    const late = setTimeout(() => server?.closeAllConnections(), GOODBYE_MS);
    await closed;
    clearTimeout(late);
  }

  #listen(): Promise<Result<string>> {
    const { HOST, PORT } = this.#settings;
    return new Promise((resolve) => {
      const fetch: Handler = (request, environment) => this.#handler(request, environment);
      const server = listen({ fetch, hostname: HOST, port: PORT }, (address: AddressInfo) => {
        const host = address.family === "IPv6" ? `[${address.address}]` : address.address;
        resolve(ok(`http://${host}:${address.port}`));
      });
      this.#server = server as Server;
      answerUnreadable(this.#server);
      server.once("error", (error: NodeJS.ErrnoException) =>
        resolve(fail("address_unusable", { address: `${HOST}:${PORT}`, code: error.code ?? error.message })),
      );
    });
  }
}

function unavailableApp(): Hono {
  const nextStep = "Try again in a moment; /ready tells when.";
  const waiting = fail("not_available", {
    what: "The server",
    why: "it is waiting for the database",
    nextStep,
  });
  return new Hono()
    .get("/health", (c) => c.json({ status: "ok" }))
    .all("*", (c) => problem(c, waiting.failure, { "retry-after": "1" }));
}
