/**
 * Runs MiniLM in a worker thread, so that neither loading it nor embedding a long catalog blocks a request. One text at a
 * time: a task's text waits for the current one, not for a whole catalog.
 */
import { extname } from "node:path";
import { Worker } from "node:worker_threads";
import { isMinilmInstalled, type Minilm, type MinilmPlace, remembering } from "./minilm.ts";

export interface Asked {
  readonly id: number;
  readonly text: string;
}
export type Answered =
  | { readonly id: number; readonly vector: Float32Array }
  | { readonly id: number; readonly why: string };

export interface MinilmThread extends Minilm {
  close(): Promise<void>;
}

/** Undefined when the packages are not installed. The thread starts with the first text, which waits for the model. */
export function openMinilmThread({ from = import.meta.url }: MinilmPlace = {}): MinilmThread | undefined {
  if (!isMinilmInstalled({ from })) return undefined;
  const waiting = new Map<number, Asker>();
  let asked = 0;
  let worker: Worker | undefined;
  let ended: Error | undefined;
  const end = (error: Error) => {
    ended ??= error;
    for (const { reject } of waiting.values()) reject(ended);
    waiting.clear();
  };
  const start = () => {
    const file = new URL(`./minilm-worker${extname(import.meta.url)}`, import.meta.url); // .ts here, .js when published
    const thread = new Worker(file, { workerData: String(from) });
    thread.on("message", (answer: Answered) => {
      settle(waiting, answer);
      if (waiting.size === 0) thread.unref();
    });
    thread.on("error", (error) => end(error instanceof Error ? error : new Error(String(error))));
    thread.on("exit", (code) => end(new Error(`MiniLM's thread ended with ${code}`)));
    return thread;
  };
  const vector = (text: string) =>
    new Promise<Float32Array>((resolve, reject) => {
      if (ended) return reject(ended);
      worker ??= start();
      worker.ref(); // keep the process alive while someone waits
      waiting.set(++asked, { resolve, reject });
      worker.postMessage({ id: asked, text } satisfies Asked);
    });
  return {
    ...remembering(vector),
    async close() {
      end(new Error("MiniLM was closed"));
      await worker?.terminate();
    },
  };
}

interface Asker {
  resolve(vector: Float32Array): void;
  reject(error: Error): void;
}

function settle(waiting: Map<number, Asker>, answer: Answered): void {
  const asker = waiting.get(answer.id);
  waiting.delete(answer.id);
  if ("vector" in answer) asker?.resolve(answer.vector);
  else asker?.reject(new Error(`MiniLM: ${answer.why}`));
}
