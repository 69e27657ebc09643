/** One dataset: its versions, the items of one, and what was removed from each. */
import type { Dataset, DatasetItem } from "@capstan/client";
import { useState } from "react";
import { Badge, Code } from "../../kit/badge.tsx";
import { Button, LinkButton } from "../../kit/button.tsx";
import { JsonView } from "../../kit/json-view.tsx";
import { Panel } from "../../kit/panel.tsx";
import { Loaded } from "../../kit/states.tsx";
import { usePages } from "../../kit/use-pages.tsx";
import { ago, count, dateTime, words } from "../../kit/words.ts";
import { api } from "../../server/api.ts";
import { useRead } from "../../server/queries.ts";
import { ExpectedAnswer } from "./expected-answer.tsx";
import { NewExperiment } from "./new-experiment.tsx";
import { numbered } from "./numbered.ts";

export function DatasetView({ id }: { id: string }) {
  const query = useRead(["datasets", id], (signal) => api.datasets.get(id, signal));
  return (
    <Loaded query={query} what="Datasets" rows={6}>
      {(dataset) => <Parts dataset={dataset} />}
    </Loaded>
  );
}

function Parts({ dataset }: { dataset: Dataset }) {
  const [chosen, setVersion] = useState<number>();
  const [isMeasuring, setMeasuring] = useState(false);
  const version = chosen ?? dataset.version;
  return (
    <div className="flex flex-col gap-5">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="text-base font-semibold break-words">{dataset.name}</h2>
          {dataset.description && <p className="text-sm text-ink-soft">{dataset.description}</p>}
        </div>
        {dataset.version > 0 && (
          <Button look="primary" onClick={() => setMeasuring(true)}>
            Measure an agent
          </Button>
        )}
      </header>
      {isMeasuring && <NewExperiment dataset={dataset} onClose={() => setMeasuring(false)} />}
      {version === 0 ? (
        <p className="text-sm text-ink-soft">No items yet.</p>
      ) : (
        <>
          <Items id={dataset.id} version={version} isNewest={version === dataset.version} />
          <Versions id={dataset.id} shown={version} onShow={setVersion} />
        </>
      )}
    </div>
  );
}

interface ItemsProps {
  id: string;
  version: number;
  /** Older versions stay as they were. */
  isNewest: boolean;
}

function Items({ id, version, isNewest }: ItemsProps) {
  const { query, more } = usePages(["datasets", id, "items", version], (page, signal) =>
    api.datasets.items(id, { ...page, version }, signal),
  );
  return (
    <Panel title={`Items of version ${version}`} flush>
      <Loaded query={query} what="Items" rows={4}>
        {(items) => (
          <div className="flex flex-col gap-2">
            <ul className="flex flex-col divide-y divide-line">
              {items.map((item) => (
                <li key={item.id}>
                  <ItemRow datasetId={id} item={item} isNewest={isNewest} />
                </li>
              ))}
            </ul>
            {more}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}

interface ItemRowProps {
  datasetId: string;
  item: DatasetItem;
  isNewest: boolean;
}

function ItemRow({ datasetId, item, isNewest }: ItemRowProps) {
  const [isOpen, setOpen] = useState(false);
  const [isExpecting, setExpecting] = useState(false);
  const { id, input, labels = [], scrubbed, source, since_version, ...rest } = item;
  return (
    <article aria-label={id} className="flex flex-col gap-1 px-4 py-3">
      <div className="flex flex-wrap items-center gap-2">
        <span className="min-w-0 font-medium break-words">{id}</span>
        {labels.map((label) => (
          <Badge key={label}>{label}</Badge>
        ))}
        <span className="flex-1" />
        {source.session_id && (
          <LinkButton size="sm" href={`/sessions/${source.session_id}/trace`} aria-label={`Session of ${id}`}>
            Session
          </LinkButton>
        )}
        {isNewest && (
          <Button size="sm" aria-label={`Expected answer of ${id}`} onClick={() => setExpecting(true)}>
            Expected answer
          </Button>
        )}
        <Button size="sm" aria-expanded={isOpen} aria-label={`All of ${id}`} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Less" : "All"}
        </Button>
      </div>
      <p className="line-clamp-3 text-sm break-words text-ink-soft">{input}</p>
      <p className="text-xs text-ink-faint">
        from a {source.kind === "hand" ? "person" : source.kind}, by {source.by}, since version{" "}
        {since_version}
      </p>
      {scrubbed.length > 0 && (
        <p className="flex flex-wrap items-center gap-2 text-xs">
          <Badge tone="warn">{scrubbed.length} redacted</Badge>
          {numbered(scrubbed).map(({ at, item: { path, kind } }) => (
            <span key={at}>
              {words(kind)} in <Code>{path}</Code>
            </span>
          ))}
        </p>
      )}
      {isExpecting && (
        <ExpectedAnswer datasetId={datasetId} item={item} onClose={() => setExpecting(false)} />
      )}
      {isOpen && <JsonView value={{ input, ...rest }} label={`Item ${id}`} />}
    </article>
  );
}

interface VersionsProps {
  id: string;
  shown: number;
  onShow: (version: number) => void;
}

function Versions({ id, shown, onShow }: VersionsProps) {
  const { query, more } = usePages(["datasets", id, "versions"], (page, signal) =>
    api.datasets.versions(id, page, signal),
  );
  return (
    <Panel title="Versions" flush>
      <Loaded query={query} what="Versions" rows={3}>
        {(versions) => (
          <div className="flex flex-col gap-2">
            <ul className="flex flex-col divide-y divide-line">
              {versions.map(({ number, by, at, why, added, changed, removed, items }) => (
                <li key={number} className="flex flex-wrap items-center gap-3 px-4 py-2 text-sm">
                  <div className="min-w-0 flex-1">
                    <p className="break-words">
                      Version {number}: {count(items, "item")}; {added} added, {changed} changed, {removed}{" "}
                      removed
                    </p>
                    <p className="text-xs break-words text-ink-faint">
                      {why && `${why}, `}by {by} <span title={dateTime(at)}>{ago(at)}</span>
                    </p>
                  </div>
                  {number === shown ? (
                    <Badge tone="accent">shown</Badge>
                  ) : (
                    <Button size="sm" aria-label={`Show version ${number}`} onClick={() => onShow(number)}>
                      Show
                    </Button>
                  )}
                </li>
              ))}
            </ul>
            {more}
          </div>
        )}
      </Loaded>
    </Panel>
  );
}
