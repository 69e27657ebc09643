/** /chat: a new conversation with an agent of choice. /chat/{session}: one that exists. Beside both, the others. */
import MessagesSquare from "lucide-react/icons/messages-square";
import { useState } from "react";
import { useParams } from "wouter";
import { IconButton } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ChatRoom } from "./chat-room.tsx";
import { NewChat } from "./new-chat.tsx";
import { RecentChats } from "./recent-chats.tsx";

export default function ChatScreen() {
  const { session } = useParams<{ session?: string }>();
  const [others, setOthers] = useState(false);
  const button = (
    <IconButton label="Conversations" className="lg:hidden" onClick={() => setOthers(true)}>
      <MessagesSquare className="size-4" aria-hidden />
    </IconButton>
  );
  return (
    <div className="flex h-full min-h-0">
      <aside aria-label="Conversations" className="hidden w-60 shrink-0 border-r border-line lg:block">
        <RecentChats current={session} />
      </aside>
      <div className="min-w-0 flex-1">
        {session ? (
          <ChatRoom key={session} sessionId={session} others={button} />
        ) : (
          <NewChat others={button} />
        )}
      </div>
      {others && (
        <Dialog title="Conversations" onClose={() => setOthers(false)}>
          <div className="h-[60dvh]">
            <RecentChats current={session} onGo={() => setOthers(false)} />
          </div>
        </Dialog>
      )}
    </div>
  );
}
