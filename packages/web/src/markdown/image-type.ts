const TYPES: Record<string, string> = {
  avif: "image/avif",
  gif: "image/gif",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  png: "image/png",
  svg: "image/svg+xml", // an <img> runs no script, whatever is inside
  webp: "image/webp",
};

/** The media type of an image by its name; undefined for other files. */
export const imageType = (path: string): string | undefined =>
  TYPES[path.split(".").at(-1)?.toLowerCase() ?? ""];
