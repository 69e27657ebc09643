import RouteIcon from "lucide-react/icons/route";
import { lazy, Suspense } from "react";
import { Code } from "../../kit/badge.tsx";
import { Button } from "../../kit/button.tsx";
import { FailureNote, Loading } from "../../kit/states.tsx";
import { confirmRouted, forgetRouted, type RoutedMessage, useRouted } from "./routing.ts";

const TaskResult = lazy(() =>
  import("../route/task-result.tsx").then(({ TaskResult }) => ({ default: TaskResult })),
);

interface RoutedProps {
  sessionId: string;
  /** Gives the message to the agent after all. */
  onAskAgent: (text: string) => void;
}

/** Messages that went to the router: intent, matches with reasons, plan, status and result. */
export function RoutedMessages({ sessionId, onAskAgent }: RoutedProps) {
  const routed = useRouted(sessionId);
  if (routed.length === 0) return null;
  return (
    <div className="flex flex-col gap-4 pb-4">
      {routed.map((message) => (
        <RoutingCard
          key={message.id}
          message={message}
          onConfirm={(confirm) => void confirmRouted(sessionId, message, confirm)}
          onAskAgent={() => {
            forgetRouted(sessionId, message.id);
            onAskAgent(message.text);
          }}
        />
      ))}
    </div>
  );
}

interface CardProps {
  message: RoutedMessage;
  onConfirm: (confirm: string) => void;
  onAskAgent: () => void;
}

function RoutingCard({ message, onConfirm, onAskAgent }: CardProps) {
  const { text, capabilityId, outcome } = message;
  return (
    <>
      <p className="max-w-[85%] self-end rounded-2xl rounded-br-md bg-accent-soft px-4 py-2 text-base">
        {text}
      </p>
      <section
        aria-label="Routed task"
        className="flex flex-col gap-3 rounded-xl border border-line bg-surface p-4"
      >
        <h2 className="flex flex-wrap items-center gap-2 text-sm font-semibold">
          <RouteIcon className="size-4 text-accent-ink" aria-hidden />
          Routed to <Code>{capabilityId}</Code>
        </h2>
        {outcome.kind === "running" && <Loading rows={3} label="Routing the task" />}
        {outcome.kind === "refused" && <FailureNote failure={outcome.failure} />}
        {outcome.kind === "answered" && (
          <Suspense fallback={<Loading rows={3} />}>
            <TaskResult answer={outcome.answer} onConfirm={onConfirm} />
          </Suspense>
        )}
        <Button size="sm" className="self-start" onClick={onAskAgent}>
          Ask the agent instead
        </Button>
      </section>
    </>
  );
}
