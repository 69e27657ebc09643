/** Images and videos by the providers' own models. The first provider with a key is used. */
import { fail, ok, type Result } from "@capstan/core";
import type { Credentials } from "./provider-table.ts";

export interface Media {
  readonly mediaType: string;
  readonly base64: string;
}

export interface MediaMaker {
  /** Undefined when no provider with a key supports it. */
  image(prompt: string, signal: AbortSignal): Promise<Result<Media> | undefined>;
  video(prompt: string, signal: AbortSignal): Promise<Result<Media> | undefined>;
}

const IMAGE_MODELS = { openai: "gpt-image-2", google: "imagen-4.0-generate-001" } as const;
const VIDEO_MODEL = "veo-3.1-generate-preview";
const ONE = {
  n: 1,
  size: undefined,
  aspectRatio: undefined,
  seed: undefined,
  files: undefined,
  mask: undefined,
  providerOptions: {},
};
const ONE_VIDEO = {
  n: 1,
  aspectRatio: undefined,
  resolution: undefined,
  duration: undefined,
  fps: undefined,
  seed: undefined,
  image: undefined,
  frameImages: undefined,
  inputReferences: undefined,
  generateAudio: undefined,
  providerOptions: {},
};

export function createMediaMaker(
  credentials: (provider: string) => Promise<Credentials | undefined>,
): MediaMaker {
  const options = ({ apiKey, baseUrl }: Credentials) => ({
    ...(apiKey && { apiKey }),
    ...(baseUrl && { baseURL: baseUrl }),
  });
  return {
    async image(prompt, abortSignal) {
      const [openai, google] = await Promise.all([credentials("openai"), credentials("google")]);
      const model = openai
        ? (await import("@ai-sdk/openai")).createOpenAI(options(openai)).image(IMAGE_MODELS.openai)
        : google && (await googleOf(options(google))).image(IMAGE_MODELS.google);
      return (
        model &&
        tryToMake("Image generation", async () =>
          first((await model.doGenerate({ ...ONE, prompt, abortSignal })).images, "image/png"),
        )
      );
    },
    async video(prompt, abortSignal) {
      const google = await credentials("google");
      const model = google && (await googleOf(options(google))).video(VIDEO_MODEL);
      const make = model?.doGenerate?.bind(model);
      if (!make) return undefined;
      const asked = { ...ONE_VIDEO, prompt, abortSignal };
      return tryToMake("Video generation", async () => firstVideo((await make(asked)).videos));
    },
  };
}

async function googleOf(options: { apiKey?: string; baseURL?: string }) {
  const { createGoogleGenerativeAI } = await import("@ai-sdk/google");
  return createGoogleGenerativeAI(options);
}

async function tryToMake(what: string, make: () => Promise<Media | undefined>): Promise<Result<Media>> {
  try {
    const made = await make();
    return made ? ok(made) : fail("tool_failed", { message: `${what} gave nothing.` });
  } catch (error) {
    return fail("tool_failed", {
      message: `${what} failed: ${error instanceof Error ? error.message : String(error)}`,
    });
  }
}

function first(images: readonly (string | Uint8Array)[], mediaType: string): Media | undefined {
  const [image] = images;
  if (image === undefined) return undefined;
  return { mediaType, base64: typeof image === "string" ? image : Buffer.from(image).toString("base64") };
}

function firstVideo(videos: readonly unknown[]): Media | undefined {
  const [video] = videos as { mediaType?: string; data?: string | Uint8Array; base64?: string }[];
  const data = video?.base64 ?? video?.data;
  return data === undefined ? undefined : first([data], video?.mediaType ?? "video/mp4");
}
