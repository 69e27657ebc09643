/**
 * The connection to a program that serves HTTP on loopback: its output contains the address, lines are sent as requests,
 * responses and server-sent events arrive as lines. To an adapter it looks like stdin and stdout.
 */
import type { HttpChannel } from "@capstan/core/internal";
import { z } from "zod";

const outgoing = z.object({
  id: z.union([z.string(), z.number()]),
  method: z.string(),
  path: z.string().startsWith("/"),
  body: z.unknown().optional(),
});

export interface HttpLinkEvents {
  readonly onLine: (line: string) => void;
  /** The server no longer answers; its process must be ended. */
  readonly onLost: (why: string) => void;
}

export class HttpLink {
  readonly #channel: HttpChannel;
  readonly #events: HttpLinkEvents;
  readonly #stop = new AbortController();
  readonly #waiting: string[] = [];
  #url: string | undefined;
  #connected = false;

  constructor(channel: HttpChannel, events: HttpLinkEvents) {
    this.#channel = channel;
    this.#events = events;
  }

  /** A line that the program printed. */
  onPrinted(line: string): void {
    if (this.#url !== undefined) return;
    this.#url = this.#channel.address.exec(line)?.[1];
    if (this.#url !== undefined) void this.#listen(this.#url);
  }

  /** Requests wait until the event stream is open: a response must not overtake its events. */
  write(line: string): void {
    if (this.#connected) void this.#send(line);
    else this.#waiting.push(line);
  }

  close(): void {
    this.#stop.abort();
  }

  async #listen(url: string): Promise<void> {
    const { events: path, headers } = this.#channel;
    try {
      const response = await fetch(`${url}${path}`, { headers, signal: this.#stop.signal });
      if (!response.ok || !response.body) throw new Error(`its events answered ${response.status}`);
      this.#connected = true;
      for (const line of this.#waiting.splice(0)) void this.#send(line);
      for await (const data of eventData(response.body)) this.#events.onLine(data);
      throw new Error("its events ended");
    } catch (error) {
      this.#lose(error);
    }
  }

  async #send(line: string): Promise<void> {
    const { id, method, path, body } = outgoing.parse(JSON.parse(line));
    try {
      const response = await fetch(`${this.#url}${path}`, {
        method,
        headers: { ...this.#channel.headers, "content-type": "application/json" },
        signal: this.#stop.signal,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      this.#events.onLine(JSON.stringify({ id, status: response.status, body: parsed(text) }));
    } catch (error) {
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.#stop.abort();
    this.#events.onLost(error instanceof Error ? error.message : String(error));
  }
}

/** The data of each server-sent event, as one line. */
async function* eventData(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const chunk of body) {
    held += decoder.decode(chunk, { stream: true });
    const parts = held.split(/\r?\n\r?\n/);
    held = parts.pop() ?? "";
    for (const part of parts) {
      const data = part
        .split(/\r?\n/)
        .filter((line) => line.startsWith("data:"))
        .map((line) => line.slice("data:".length).trim());
      if (data.length > 0) yield data.join("");
    }
  }
}

function parsed(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
