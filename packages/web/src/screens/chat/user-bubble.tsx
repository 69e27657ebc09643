import Paperclip from "lucide-react/icons/paperclip";
import type { Media, UserEntry } from "../../conversation/entries.ts";
import { MessageActions } from "./message-actions.tsx";

export function UserBubble({ entry: { message } }: { entry: UserEntry }) {
  if (!message) return <div className="h-9" aria-busy="true" />; // its words are being read
  return (
    <article aria-label="You" className="group flex flex-col items-end">
      <div className="max-w-[85%] rounded-2xl rounded-br-md bg-accent-soft px-4 py-2 text-base text-ink">
        {message.media.length > 0 && (
          <ul className="mb-1 flex flex-wrap gap-2" aria-label="Attachments">
            {message.media.map((media, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a message's attachments never change their places
              <li key={index}>
                <MediaView media={media} />
              </li>
            ))}
          </ul>
        )}
        <p className="whitespace-pre-wrap">{message.text}</p>
      </div>
      <MessageActions entryId={message.id} text={message.text} />
    </article>
  );
}

function MediaView({ media: { mimeType, data, name, path } }: { media: Media }) {
  const label = name ?? path ?? mimeType;
  if (mimeType.startsWith("image/") && data)
    return <img src={`data:${mimeType};base64,${data}`} alt={label} className="max-h-48 rounded-lg" />;
  return (
    <span className="inline-flex items-center gap-1.5 rounded-md bg-surface px-2 py-1 text-xs">
      <Paperclip className="size-3" aria-hidden />
      {label}
    </span>
  );
}
