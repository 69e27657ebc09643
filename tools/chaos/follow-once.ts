/** Reads a session's event stream once, from a sequence number, until it ends, breaks, or the reader has enough. */
import { get, type IncomingMessage } from "node:http";
import type { RunEvent } from "@capstan/core";

const SILENCE_MS = 20_000; // longer than the server's keep-alive: a cut that nobody told us of

/** False: the reader has enough. */
type Take = (seq: number, event: RunEvent) => boolean;

export function followEvents(url: string, after: number, over: AbortSignal, take: Take): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { "last-event-id": String(after), accept: "text/event-stream" };
    const request = get(url, { headers, agent: false, signal: over }, (response) => {
      response.on("error", () => {});
      if (response.statusCode === 200) read(response, take);
      else response.resume();
      response.on("close", resolve);
    });
    request.setTimeout(SILENCE_MS, () => request.destroy());
    request.on("error", reject);
  });
}

function read(response: IncomingMessage, take: Take): void {
  let rest = "";
  let enough = false;
  response.setEncoding("utf8");
  response.on("data", (text: string) => {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const [, seq, data] = /^id: (\d+)\ndata: (.*)$/s.exec(block) ?? [];
      if (seq !== undefined && data !== undefined && !enough) enough = !take(Number(seq), JSON.parse(data));
    }
    if (enough) response.destroy();
  });
}
