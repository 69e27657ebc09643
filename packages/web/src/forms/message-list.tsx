/** A recorded conversation, in order. */
import { words } from "../kit/words.ts";
import { MessageParts } from "./message-parts.tsx";

interface MessageListProps {
  messages: readonly { readonly id: string; readonly role: string; readonly content: unknown }[];
  label: string;
}

export function MessageList({ messages, label }: MessageListProps) {
  return (
    <ol className="flex flex-col gap-3">
      {messages.map(({ id, role, content }, at) => (
        <li key={id}>
          <h3 className="mb-1 text-xs font-semibold text-ink-soft">{words(role)}</h3>
          <MessageParts value={content} label={`${label}, message ${at + 1}`} />
        </li>
      ))}
    </ol>
  );
}
