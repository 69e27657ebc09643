import Paperclip from "lucide-react/icons/paperclip";
import { type KeyboardEvent, useState } from "react";
import type { Media, UserEntry, UserMessage } from "../../conversation/entries.ts";
import { Button } from "../../kit/button.tsx";
import { TextArea } from "../../kit/field.tsx";
import { BranchSwitch } from "./branch-switch.tsx";
import { MessageActions } from "./message-actions.tsx";
import { useRoom } from "./room-context.ts";

export function UserBubble({ entry: { message } }: { entry: UserEntry }) {
  const [editing, setEditing] = useState(false);
  if (!message) return <div className="h-9" aria-busy="true" />; // its text is loading
  if (editing) return <EditMessage message={message} onClose={() => setEditing(false)} />;
  return (
    <div className="flex flex-col items-end">
      <article aria-label="You" className="group flex w-full flex-col items-end">
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
        <MessageActions entryId={message.id} text={message.text} onEdit={() => setEditing(true)} />
      </article>
      <BranchSwitch position={message.position} />
    </div>
  );
}

/** Edits the message. The original stays in its own branch. */
function EditMessage({ message, onClose }: { message: UserMessage; onClose: () => void }) {
  const { edit, branching } = useRoom();
  const [text, setText] = useState(message.text);
  const ready = text.trim() !== "" && text.trim() !== message.text.trim();
  const keys = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (ready) edit(message, text.trim());
  };
  return (
    <div className="flex flex-col gap-2 rounded-2xl bg-accent-soft p-2">
      <TextArea
        aria-label="Edit message"
        autoFocus
        rows={2}
        className="field-sizing-content max-h-60 text-base"
        value={text}
        onChange={({ target }) => setText(target.value)}
        onKeyDown={keys}
      />
      <div className="flex items-center justify-end gap-2">
        <span className="flex-1 pl-1 text-xs text-ink-soft">Sent as a new branch; this one stays.</span>
        <Button size="sm" onClick={onClose}>
          Cancel
        </Button>
        <Button
          size="sm"
          look="primary"
          busy={branching}
          doing="Sending…"
          disabled={!ready}
          onClick={() => edit(message, text.trim())}
        >
          Send
        </Button>
      </div>
    </div>
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
