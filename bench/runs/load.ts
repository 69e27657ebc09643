/** Turns at a fixed concurrency: throughput, and time to the first and the last token. */
import http from "node:http";
import { median } from "../result.ts";
import type { Turn } from "./variants.ts";

export interface LoadResult {
  readonly turns: number;
  readonly perSecond: number;
  readonly firstTokenMs: number;
  readonly totalMs: number;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });

export async function load(
  port: number,
  turn: () => Turn,
  { concurrency, milliseconds }: { concurrency: number; milliseconds: number },
): Promise<LoadResult> {
  const startedAt = performance.now();
  const firsts: number[] = [];
  const totals: number[] = [];
  const client = async () => {
    while (performance.now() < startedAt + milliseconds) {
      const { firstTokenMs, totalMs } = await one(port, turn());
      firsts.push(firstTokenMs);
      totals.push(totalMs);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, client));
  agent.destroy(); // the server closes what is idle until the next turn, just when it would be used again
  const seconds = (performance.now() - startedAt) / 1000;
  return {
    turns: totals.length,
    perSecond: totals.length / seconds,
    firstTokenMs: median(firsts),
    totalMs: median(totals),
  };
}

export function one(port: number, { path, body }: Turn): Promise<{ firstTokenMs: number; totalMs: number }> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    let firstTokenMs = -1;
    let text = "";
    const request = http.request(
      {
        port,
        host: "127.0.0.1",
        method: "POST",
        path,
        agent,
        headers: { "content-type": "application/json", accept: "text/event-stream" },
      },
      (answer) => {
        answer.setEncoding("latin1");
        answer.on("data", (part: string) => {
          text += part;
          if (firstTokenMs < 0 && text.includes("tok0 ")) firstTokenMs = performance.now() - startedAt;
        });
        answer.on("error", reject);
        answer.on("end", () => {
          if (!text.includes("tok49"))
            reject(new Error(`a turn broke (${answer.statusCode}): ${text.slice(-500)}`));
          else resolve({ firstTokenMs, totalMs: performance.now() - startedAt });
        });
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}
