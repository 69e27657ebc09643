/**
 * One user of crashing servers: sends a message, follows its events through every broken connection, answers the
 * question in between, and records what it saw. A missing or repeated sequence number is a fault.
 */
import { randomUUID } from "node:crypto";
import type { RunEvent } from "@capstan/core";
import { followEvents } from "./follow-once.ts";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const REQUEST_MS = 10_000;

export interface ChaosWorld {
  /** The address of a server that should be alive. */
  readonly url: () => string;
  readonly agentId: string;
  readonly over: AbortSignal;
}

export class ChaosClient {
  readonly session = randomUUID();
  readonly events: RunEvent[] = [];
  readonly faults: string[] = [];
  runId = "";
  reconnects = 0;
  status = "unfinished";
  reason = "";
  readonly #world: ChaosWorld;

  constructor(world: ChaosWorld) {
    this.#world = world;
  }

  async run(): Promise<void> {
    const { agentId, over } = this.#world;
    await this.#call("POST", "/v1/sessions", { id: this.session, agent_id: agentId });
    const message = { id: `m-${this.session}`, content: `tag ${this.session}` };
    const sent = await this.#call("POST", `/v1/sessions/${this.session}/messages`, message);
    this.runId = String(sent?.run_id ?? "");
    while (!this.#ended && !over.aborted) {
      const url = `${this.#world.url()}/v1/sessions/${this.session}/events`;
      await followEvents(url, this.events.length, over, (seq, event) => this.#take(seq, event)).catch(
        () => {},
      );
      if (!this.#ended) {
        if (this.#asks) await this.#answer();
        else this.reconnects++;
        await pause(50);
      }
    }
    const run = await this.#call("GET", `/v1/runs/${this.runId}`);
    this.status = String(run?.status ?? "unknown");
    this.reason = String((run?.error as { code?: string } | undefined)?.code ?? "");
  }

  /** What the store contains in the end, to compare with what was seen. */
  async stored(): Promise<unknown[]> {
    const page = await this.#call("GET", `/v1/sessions/${this.session}/events?format=json&limit=1000`);
    return ((page?.items ?? []) as { event: unknown }[]).map(({ event }) => event);
  }

  get #asks(): boolean {
    const last = this.events.at(-1);
    return last?.type === "RUN_FINISHED" && last.outcome?.type === "interrupt";
  }

  get #ended(): boolean {
    const last = this.events.at(-1);
    return last?.type === "RUN_ERROR" || (last?.type === "RUN_FINISHED" && !this.#asks);
  }

  /** False: stop, the stream may end. */
  #take(seq: number, event: RunEvent): boolean {
    if (seq !== this.events.length + 1) this.faults.push(`event ${seq} came after ${this.events.length}`);
    this.events.push(event);
    return !this.#ended && !this.#asks;
  }

  async #answer(): Promise<void> {
    const path = `/v1/approvals?status=pending&session_id=${this.session}`;
    const { items = [] } = (await this.#call("GET", path)) ?? {};
    for (const { id } of items as { id: string }[])
      await this.#call("POST", `/v1/approvals/${id}`, { decision: "approve" });
  }

  /** Asks until someone answers; when all is over, a few times more. */
  async #call(method: string, path: string, body?: object): Promise<Record<string, unknown> | undefined> {
    for (let attempt = 0; attempt < 20 || !this.#world.over.aborted; attempt++) {
      const answer = await this.#ask(method, path, body).catch(() => undefined); // the server is gone; another answers
      if (answer) return answer.body;
      await pause(50);
    }
    return undefined;
  }

  /** Undefined: ask again. A 409 is an answer given twice, because the first one's reply was lost. */
  async #ask(method: string, path: string, body?: object): Promise<Answered | undefined> {
    const response = await fetch(this.#world.url() + path, {
      method,
      headers: { "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const answer = (await response.json()) as Record<string, unknown>;
    if (response.ok) return { body: answer };
    const isOurFault = response.status === 500 || (response.status < 500 && response.status !== 409);
    if (isOurFault)
      this.faults.push(`${method} ${path}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`);
    return response.status < 500 ? { body: undefined } : undefined;
  }
}

interface Answered {
  readonly body: Record<string, unknown> | undefined;
}
