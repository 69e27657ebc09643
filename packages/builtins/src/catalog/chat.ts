/** chat.general: the fallback. It answers with the configured model; the router calls it when nothing else fits. */
import { type AnyTool, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { type CatalogParts, DEMO_MODEL } from "./catalog-parts.ts";

export function generalChat({ generate }: CatalogParts): AnyTool {
  return defineTool({
    name: "chat_general",
    risk: "read",
    description: "Answer a question or have a general conversation.",
    input: z.object({ prompt: z.string().min(1).max(100_000).describe("What to answer.") }),
    timeoutMs: 120_000,
    run: async ({ prompt }, context) => {
      const { signal } = context;
      const made = await generate?.({ system: "Answer briefly and truthfully.", prompt, signal }, context);
      if (!made) {
        const reply = "The demo model cannot answer freely. Set a provider's key to get a real answer.";
        return ok({ reply, model: DEMO_MODEL });
      }
      return made.ok ? ok({ reply: made.value.text, model: made.value.model }) : made;
    },
  });
}
