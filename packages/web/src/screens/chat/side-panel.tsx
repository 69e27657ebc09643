import type { Session } from "@capstan/client";
import { useEffect } from "react";
import type { ConversationView } from "../../conversation/entries.ts";
import { FileBrowser } from "../../files/file-browser.tsx";
import { queryClient } from "../../server/queries.ts";
import { AllowedTools } from "./allowed-tools.tsx";
import { TodoList } from "./todo-list.tsx";

/** Beside the conversation: the agent's list of tasks, and the session's files as they appear. */
export function SidePanel({ session, view }: { session: Session; view: ConversationView }) {
  const { id: sessionId } = session;
  useFreshFiles(sessionId, view.toolResults);
  return (
    <div className="flex flex-col gap-6 p-4">
      {view.todos.length > 0 && (
        <section aria-label="Tasks">
          <h2 className="mb-2 text-xs font-semibold text-ink-soft">Tasks</h2>
          <TodoList todos={view.todos} />
        </section>
      )}
      <AllowedTools session={session} />
      <section aria-label="Files">
        <h2 className="mb-2 text-xs font-semibold text-ink-soft">Files</h2>
        <FileBrowser sessionId={sessionId} narrow entries={view.entries} />
      </section>
    </div>
  );
}

/** Any tool may have written a file: after each result the listing is read again. */
export function useFreshFiles(sessionId: string, toolResults: number): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the count is the news
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: ["files", sessionId] });
  }, [sessionId, toolResults]);
}
