/** media.image.generate, media.video.generate: by an image or video model; without one, a clear "not configured". */
import { type AnyTool, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { type CatalogParts, type MadeMedia, notConfigured } from "./catalog-parts.ts";

const prompt = z.string().min(1).max(4000).describe("What it should show.");
const NEXT_STEP =
  "Set OPENAI_API_KEY or GOOGLE_GENERATIVE_AI_API_KEY, or add a key in Settings or with `capstan providers add openai`.";

export function generateImage({ image }: CatalogParts): AnyTool {
  return defineTool({
    name: "media_image_generate",
    risk: "write",
    description: "Generate an image, logo or picture from a description.",
    input: z.object({ prompt }),
    timeoutMs: 120_000,
    run: async ({ prompt }, context) => {
      if (!image) return notConfigured("Image generation", NEXT_STEP);
      const made = await image(prompt, context);
      return made.ok ? ok(media(made.value)) : made;
    },
  });
}

export function generateVideo({ video }: CatalogParts): AnyTool {
  return defineTool({
    name: "media_video_generate",
    risk: "write",
    description: "Generate a short video from a description.",
    input: z.object({ prompt }),
    timeoutMs: 300_000,
    run: async ({ prompt }, context) => {
      if (!video) return notConfigured("Video generation", NEXT_STEP);
      const made = await video(prompt, context);
      return made.ok ? ok(media(made.value)) : made;
    },
  });
}

const media = ({ mediaType, base64 }: MadeMedia) => ({ media_type: mediaType, base64 });
