import { staticEmbedding } from "@capstan/builtins";
import { expect, test } from "vitest";
import { rankPosted } from "./rank-posted.ts";
import { routeTier } from "./route-tier.ts";

/** Acts as a model, and records texts that were read without being prepared. */
function readingModel() {
  const read = new Set<string>();
  const unread: string[] = [];
  const embed = (text: string) => {
    if (!read.has(text)) unread.push(text);
    return Float32Array.of(1, 0);
  };
  return {
    embed,
    unread,
    prepare: async (texts: readonly string[]) => {
      for (const text of texts) read.add(text);
    },
  };
}

test("the model has prepared every text needed to rank a posted catalog and its tasks, parameters included", async () => {
  const model = readingModel();
  const tier = routeTier({ model, table: staticEmbedding, onError: () => {} });
  const ranked = await rankPosted(
    {
      capabilities: [
        { id: "weather", name: "Get Weather", description: "Weather of a city", params: ["cityName", "day"] },
        {
          id: "flights.book",
          triggers: ['book a flight to "Oslo" on 3 May'],
          tags: ["travel"],
          params: null,
        },
      ],
      tasks: ["will it rain in Rome, and is 7 times 8 fifty-six?"],
      topK: 3,
    },
    tier,
  );
  expect(ranked.tier).toBe("minilm");
  expect(model.unread).toEqual([]);
});
