import type { ListedTask } from "@capstan/core/internal";
import Check from "lucide-react/icons/check";
import CircleDashed from "lucide-react/icons/circle-dashed";
import LoaderCircle from "lucide-react/icons/loader-circle";
import { cx } from "../../kit/cx.ts";

const LOOKS = {
  completed: { icon: Check, color: "text-good", label: "Done" },
  in_progress: { icon: LoaderCircle, color: "text-accent-ink", label: "In progress" },
  pending: { icon: CircleDashed, color: "text-ink-faint", label: "To do" },
} as const;

export function TodoList({ todos }: { todos: readonly ListedTask[] }) {
  return (
    <ul className="flex flex-col gap-1.5">
      {todos.map(({ content, activeForm, status }, index) => {
        const { icon: Icon, color, label } = LOOKS[status];
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the agent rewrites the whole list each time
          <li key={index} className="flex items-start gap-2">
            <Icon className={cx("mt-0.5 size-4 shrink-0", color)} aria-label={label} role="img" />
            <span className={status === "completed" ? "text-ink-faint line-through" : undefined}>
              {status === "in_progress" ? (activeForm ?? content) : content}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
