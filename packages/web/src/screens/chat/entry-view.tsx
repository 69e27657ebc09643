/** One entry of a conversation. To show another kind, add a row to the table and its component. */
import { taskListIn } from "@capstan/core/internal";
import Bot from "lucide-react/icons/bot";
import ChevronRight from "lucide-react/icons/chevron-right";
import { type ComponentType, memo } from "react";
import type {
  ActivityEntry,
  Entry,
  QuestionEntry,
  ReasoningEntry,
  SubagentEntry,
  TextEntry,
} from "../../conversation/entries.ts";
import { Badge } from "../../kit/badge.tsx";
import { cx } from "../../kit/cx.ts";
import { JsonView } from "../../kit/json-view.tsx";
import { words } from "../../kit/words.ts";
import { ImageSession } from "../../markdown/image-session.ts";
import { Markdown } from "../../markdown/markdown.tsx";
import { MessageActions } from "./message-actions.tsx";
import { NoticeView } from "./notice-view.tsx";
import { useRoom } from "./room-context.ts";
import { SUMMARY_ACTIVITY, SummaryView } from "./summary-view.tsx";
import { TodoList } from "./todo-list.tsx";
import { ToolCard } from "./tool-card.tsx";
import { UserBubble } from "./user-bubble.tsx";

type Views = { [Kind in Entry["kind"]]: ComponentType<{ entry: Extract<Entry, { kind: Kind }> }> };

const VIEWS: Views = {
  user: UserBubble,
  text: TextView,
  reasoning: ReasoningView,
  tool: ToolCard,
  notice: NoticeView,
  activity: ActivityView,
  subagent: SubagentView,
  question: QuestionView,
};

/** Entries are replaced, never mutated: the same object need not be rendered again. */
export const EntryView = memo(function EntryView({ entry }: { entry: Entry }) {
  const View = VIEWS[entry.kind] as ComponentType<{ entry: Entry }>;
  return (
    <div className={cx(entry.subagent !== undefined && "border-l-2 border-line pl-4")}>
      <View entry={entry} />
    </div>
  );
});

function TextView({ entry }: { entry: TextEntry }) {
  return (
    <article aria-label="Answer" aria-busy={!entry.done} className="group text-base">
      <SessionMarkdown text={entry.text} writing={!entry.done} />
      {entry.done && <MessageActions entryId={entry.id} text={entry.text} runId={entry.runId} answer />}
    </article>
  );
}

/** Pictures that the answer names are read from this session's files. */
function SessionMarkdown(props: { text: string; writing: boolean }) {
  const { sessionId } = useRoom();
  return (
    <ImageSession value={sessionId}>
      <Markdown {...props} />
    </ImageSession>
  );
}

function ReasoningView({ entry }: { entry: ReasoningEntry }) {
  return (
    <details className="group/thoughts rounded-lg bg-thought-soft px-3 py-2 text-thought" open={!entry.done}>
      <summary className="flex items-center justify-between rounded-sm text-xs font-medium">
        {entry.done ? "Thoughts" : "Thinking"}
        <ChevronRight className="size-4 group-open/thoughts:rotate-90" aria-hidden />
      </summary>
      <p className="mt-2 text-sm whitespace-pre-wrap">{entry.text}</p>
    </details>
  );
}

function ActivityView({ entry: { activityType, content } }: { entry: ActivityEntry }) {
  if (activityType === SUMMARY_ACTIVITY) return <SummaryView content={content} />;
  const todos = taskListIn(content);
  if (todos)
    return (
      <section aria-label="Tasks" className="rounded-lg border border-line bg-surface px-3 py-2">
        <TodoList todos={todos} />
      </section>
    );
  return (
    <details className="rounded-lg border border-line px-3 py-2">
      <summary className="rounded-sm text-xs font-medium text-ink-soft">{words(activityType)}</summary>
      <JsonView value={content} label={words(activityType)} className="mt-2" />
    </details>
  );
}

const STATUS_TONES = { running: "accent", done: "good", waiting: "warn", failed: "bad" } as const;

function SubagentView({ entry: { name, description, status, message } }: { entry: SubagentEntry }) {
  return (
    <div className="flex items-start gap-2 rounded-lg border border-line px-3 py-2">
      <Bot className="mt-0.5 size-4 text-accent-ink" aria-hidden />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2 font-medium">
          {name} <Badge tone={STATUS_TONES[status]}>{status}</Badge>
        </p>
        {(message ?? description) && <p className="text-xs text-ink-soft">{message ?? description}</p>}
      </div>
    </div>
  );
}

/** The question itself is pinned below the conversation; this only records it. */
function QuestionView({ entry: { interrupt } }: { entry: QuestionEntry }) {
  return (
    <p className="text-sm text-ink-faint">Asked for approval: {interrupt.message || interrupt.reason}</p>
  );
}
