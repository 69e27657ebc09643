/** An image from the session's files. Loaded with the studio's own key, so that no URL contains it. */
import { useEffect, useState } from "react";
import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";
import { imageType } from "./image-type.ts";

export function SessionImage({ sessionId, path, alt }: { sessionId: string; path: string; alt: string }) {
  const { data, isError } = useRead(["files", sessionId, "content", path], (signal) =>
    api.files.read(sessionId, path, signal),
  );
  const src = useObjectUrl(data, imageType(path) ?? "image/png");
  if (isError) return <span className="text-ink-faint">{alt || path} (no such file)</span>;
  if (!src) return <span className="text-ink-faint">{alt || path}</span>;
  return <img src={src} alt={alt || path} className="max-h-96 rounded-lg border border-line" />;
}

/** An address for bytes, for as long as they are shown. */
export function useObjectUrl(data: Uint8Array | undefined, type: string): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!data) return;
    const made = URL.createObjectURL(new Blob([data.slice()], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [data, type]);
  return url;
}
