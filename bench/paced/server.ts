/** Our server with an in-process model that streams 30 words a second, each with its due time. */
import type { LanguageModelV4, LanguageModelV4StreamPart } from "@ai-sdk/provider";
import { openLog } from "../../packages/server/src/settings/log.ts";
import { parseSettings } from "../../packages/server/src/settings/settings.ts";
import { startServer } from "../../packages/server/src/start/serve.ts";

const PER_SECOND = 30;
const WORDS = Number(process.env.BENCH_WORDS);
const clock = () => performance.timeOrigin + performance.now();

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: WORDS, text: WORDS, reasoning: undefined },
};

/** A word that is late because the process is busy still carries the moment it was due: the delay is all ours. */
function speech(): ReadableStream<LanguageModelV4StreamPart> {
  const startedAt = clock();
  let said = 0;
  return new ReadableStream({
    start(controller) {
      controller.enqueue({ type: "stream-start", warnings: [] });
      controller.enqueue({ type: "text-start", id: "t" });
      const next = () => {
        const due = startedAt + (said * 1000) / PER_SECOND;
        controller.enqueue({ type: "text-delta", id: "t", delta: `@${due.toFixed(2)} ` });
        said++;
        if (said < WORDS)
          return void setTimeout(next, Math.max(1, startedAt + (said * 1000) / PER_SECOND - clock()));
        controller.enqueue({ type: "text-end", id: "t" });
        controller.enqueue({ type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage });
        controller.close();
      };
      next();
    },
  });
}

const model = {
  specificationVersion: "v4",
  provider: "bench",
  modelId: "paced",
  supportedUrls: {},
  doGenerate: async () => {
    throw new Error("only streams");
  },
  doStream: async () => ({ stream: speech() }),
} as unknown as LanguageModelV4;

const settings = parseSettings(process.env);
if (!settings.ok) throw new Error(settings.failure.message);
const server = await startServer(
  settings.value,
  openLog((line) => process.stderr.write(`${line}\n`), true, []),
  {
    models: {
      "bench/paced": {
        name: "bench/paced",
        label: "bench/paced",
        provider: "bench",
        modelId: "paced",
        model,
        contextWindow: 100_000,
        inputs: { image: false, audio: false, video: false, pdf: false },
        jsonWithTools: true,
      },
    },
  },
);
if (!server.ok) throw new Error(server.failure.message);
process.on("SIGTERM", async () => {
  await server.value.close();
  process.exit(0);
});
