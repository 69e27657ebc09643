/** A run on a remote Capstan: its events over server-sent events, commands as separate requests. */
import { fail } from "@capstan/core";
import {
  type CodingAgentEvent,
  codingAgentEventSchema,
  type RunCommand,
  type RunOptions,
  RunRefusedError,
} from "@capstan/core/internal";
import { EventQueue } from "../runner/event-queue.ts";
import { ResultBuilder, type RunHandle, type RunResult } from "../runner/run-handle.ts";
import type { RemoteServer } from "./remote-server.ts";
import { readServerSentEvents } from "./server-sent-events.ts";

export class RemoteRun implements RunHandle {
  /** Only the machine that runs it knows which one is used. */
  readonly transport = "remote";
  readonly #server: RemoteServer;
  readonly #options: RunOptions;
  readonly #queue = new EventQueue<CodingAgentEvent>(() => {});
  readonly #builder = new ResultBuilder();
  readonly #result = Promise.withResolvers<RunResult>();
  readonly #started = Promise.withResolvers<string>();
  #failure: unknown;
  #id = "";

  constructor(server: RemoteServer, options: RunOptions) {
    this.#server = server;
    this.#options = options;
    this.#result.promise.catch(() => {}); // readers of events learn it there
    this.#started.promise.catch(() => {});
    void this.#follow();
  }

  /** The server's id for the run; empty until it answered. */
  get id(): string {
    return this.#id;
  }

  get result(): Promise<RunResult> {
    this.#queue.flow();
    return this.#result.promise;
  }

  async *[Symbol.asyncIterator](): AsyncIterator<CodingAgentEvent> {
    yield* this.#queue;
    if (this.#failure !== undefined) throw this.#failure;
  }

  approve = (id: string, input?: unknown) => this.#command({ type: "approve", id, input });
  deny = (id: string, reason?: string) => this.#command({ type: "deny", id, reason });
  send = (text: string) => this.#command({ type: "send", text });
  interrupt = () => this.#command({ type: "interrupt" });
  abort = () => this.#command({ type: "abort" });

  async #command(command: RunCommand | { type: "abort" }): Promise<void> {
    await this.#server.command(this.#options.agent, await this.#started.promise, command);
  }

  async #follow(): Promise<void> {
    try {
      const { agent, ...options } = this.#options;
      const response = await this.#server.startRun(agent, options);
      if (!response.body) throw lost("It sent no events.");
      for await (const { event, data } of readServerSentEvents(response.body)) {
        if (event === "run") this.#begin(data);
        else if (this.#take(codingAgentEventSchema.safeParse(JSON.parse(data)).data)) return;
      }
      throw lost("The connection closed before the run's end.");
    } catch (error) {
      this.#failure = error;
      this.#started.reject(error);
      this.#queue.end();
      this.#result.reject(error);
    }
  }

  #begin(data: string): void {
    const { id } = JSON.parse(data) as { id?: unknown };
    this.#id = String(id);
    this.#started.resolve(this.#id);
  }

  /** True when it was the last one. Unknown events of a newer server are ignored. */
  #take(event: CodingAgentEvent | undefined): boolean {
    if (!event) return false;
    this.#builder.add(event);
    this.#queue.push(event);
    if (event.type !== "run-ended") return false;
    this.#queue.end();
    this.#result.resolve(this.#builder.result(event, this.#options.outputFormat === "json"));
    return true;
  }
}

const lost = (reason: string) => new RunRefusedError(fail("remote_run_lost", { reason }).failure);
