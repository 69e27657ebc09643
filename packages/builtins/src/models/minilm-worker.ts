/** The worker thread that runs MiniLM: loading it takes seconds and a text some milliseconds, which must not block requests. */
import { parentPort, workerData } from "node:worker_threads";
import { openMinilm } from "./minilm.ts";
import type { Answered, Asked } from "./minilm-thread.ts";

const model = await openMinilm({ from: workerData as string });
parentPort?.on("message", async ({ id, text }: Asked) => {
  parentPort?.postMessage(await answer(id, text));
});

async function answer(id: number, text: string): Promise<Answered> {
  try {
    const vector = await model?.vector(text);
    return vector ? { id, vector } : { id, why: "the packages are not installed" };
  } catch (error) {
    return { id, why: error instanceof Error ? error.message : String(error) };
  }
}
