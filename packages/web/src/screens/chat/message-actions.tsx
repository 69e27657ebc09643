import GitFork from "lucide-react/icons/git-fork";
import Pencil from "lucide-react/icons/pencil";
import RefreshCw from "lucide-react/icons/refresh-cw";
import ThumbsDown from "lucide-react/icons/thumbs-down";
import ThumbsUp from "lucide-react/icons/thumbs-up";
import { IconButton } from "../../kit/button.tsx";
import { CopyButton } from "../../kit/copy-button.tsx";
import { cx } from "../../kit/cx.ts";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";
import { PinMessage } from "./pin-message.tsx";
import { useRoom } from "./room-context.ts";

interface MessageActionsProps {
  entryId: string;
  text: string;
  answer?: boolean;
  /** The run that gave the answer. */
  runId?: string | undefined;
  onEdit?: () => void;
}

/** Copy, pin, fork from here, and feedback. Hidden until hovered or focused. */
export function MessageActions({ entryId, text, answer = false, runId, onEdit }: MessageActionsProps) {
  const { sessionId, abilities, fork, regenerate, branching } = useRoom();
  // The pieces of one message share the id before the dot.
  const messageId = entryId.split(".", 1)[0] ?? entryId;
  const rate = useChange((value: "up" | "down") => api.sessions.feedback(sessionId, messageId, { value }));
  const given = rate.isSuccess ? rate.variables : undefined;
  return (
    <div className="mt-1 -mb-3 flex gap-0.5 opacity-0 transition-opacity group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:opacity-100">
      <CopyButton text={text} label={answer ? "Copy answer" : "Copy message"} />
      {onEdit && (
        <IconButton label="Edit message" disabled={branching} onClick={onEdit}>
          <Pencil className="size-3.5" aria-hidden />
        </IconButton>
      )}
      {answer && runId !== undefined && (
        <IconButton label="Regenerate answer" disabled={branching} onClick={() => regenerate(runId)}>
          <RefreshCw className="size-3.5" aria-hidden />
        </IconButton>
      )}
      <IconButton label="Branch from here" disabled={branching} onClick={() => fork(messageId)}>
        <GitFork className="size-3.5" aria-hidden />
      </IconButton>
      <PinMessage sessionId={sessionId} messageId={messageId} />
      {answer && abilities.feedback && (
        <>
          <IconButton label="Good answer" aria-pressed={given === "up"} onClick={() => rate.mutate("up")}>
            <ThumbsUp className={cx("size-3.5", given === "up" && "text-good")} aria-hidden />
          </IconButton>
          <IconButton label="Bad answer" aria-pressed={given === "down"} onClick={() => rate.mutate("down")}>
            <ThumbsDown className={cx("size-3.5", given === "down" && "text-bad")} aria-hidden />
          </IconButton>
        </>
      )}
    </div>
  );
}
