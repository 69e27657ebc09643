import Database from "lucide-react/icons/database";
import { Link } from "wouter";
import { Empty, Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { ago, count, dateTime } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { NewDataset } from "./new-dataset.tsx";

export function DatasetList() {
  const { query, more } = usePages(["datasets", "list"], (page, signal) => api.datasets.list(page, signal));
  return (
    <Loaded query={query} what="Datasets" rows={4}>
      {(items) =>
        items.length === 0 ? (
          <Empty icon={Database} title="No datasets" action={<NewDataset />}>
            A dataset holds questions with the answers you expect, to measure agents on. Fill one from
            recorded runs (“Add to dataset” in a session's trace) or, with <code>capstan datasets</code>, from
            a file.
          </Empty>
        ) : (
          <div className="flex flex-col gap-4">
            <ul className="flex flex-col divide-y divide-line rounded-xl border border-line bg-surface">
              {items.map(({ id, name, description, version, items: many, updated_at }) => (
                <li key={id} className="flex flex-col gap-1 px-4 py-3">
                  <Link
                    href={`/experiments/datasets/${id}`}
                    className="self-start font-medium break-words text-accent-ink hover:underline"
                  >
                    {name}
                  </Link>
                  {description && <p className="text-sm break-words text-ink-soft">{description}</p>}
                  <p className="text-xs text-ink-faint">
                    {count(many, "item")}, version {version}, changed{" "}
                    <span title={dateTime(updated_at)}>{ago(updated_at)}</span>
                  </p>
                </li>
              ))}
            </ul>
            {more}
          </div>
        )
      }
    </Loaded>
  );
}
