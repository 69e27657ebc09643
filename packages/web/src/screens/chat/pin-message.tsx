import Pin from "lucide-react/icons/pin";
import PinOff from "lucide-react/icons/pin-off";
import { IconButton } from "../../kit/button.tsx";
import { api, failureOf } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

/** A pinned message stays word for word when the conversation is summarised. */
export function PinMessage({ sessionId, messageId }: { sessionId: string; messageId: string }) {
  const key = ["pins", sessionId];
  const pins = useRead(key, (signal) =>
    api.sessions.messages(sessionId, { pinned: "true", limit: 100 }, signal),
  );
  const isPinned = pins.data?.items.some(({ id }) => id === messageId) ?? false;
  const change = useChange((pinned: boolean) => api.sessions.pin(sessionId, messageId, { pinned }), ["pins"]);
  const refused = change.error ? failureOf(change.error).message : undefined;
  const label = isPinned ? "Unpin message" : "Pin message";
  const Icon = isPinned ? PinOff : Pin;
  return (
    <IconButton
      label={label}
      aria-pressed={isPinned}
      title={refused ?? `${label}: summaries keep pinned messages word for word`}
      disabled={change.isPending}
      onClick={() => change.mutate(!isPinned)}
    >
      <Icon className="size-3.5" aria-hidden />
    </IconButton>
  );
}
