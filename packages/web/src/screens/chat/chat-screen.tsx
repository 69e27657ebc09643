/** /chat: a new conversation with an agent of choice. /chat/{session}: one that exists. */
import { useParams } from "wouter";
import { ChatRoom } from "./chat-room.tsx";
import { NewChat } from "./new-chat.tsx";

export default function ChatScreen() {
  const { session } = useParams<{ session?: string }>();
  return session ? <ChatRoom key={session} sessionId={session} /> : <NewChat />;
}
