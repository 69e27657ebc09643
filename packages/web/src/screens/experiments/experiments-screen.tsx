/** /experiments: variants of agents measured on datasets, the datasets, and what waits for a person's score. */
import { useParams } from "wouter";
import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { CellTrace } from "./cell-trace.tsx";
import { DatasetList } from "./dataset-list.tsx";
import { DatasetView } from "./dataset-view.tsx";
import { ExperimentList } from "./experiment-list.tsx";
import { ExperimentView } from "./experiment-view.tsx";
import { MonitorList } from "./monitor-list.tsx";
import { ReplayList } from "./replay-list.tsx";
import { ReplayView } from "./replay-view.tsx";
import { ReplayedRunView } from "./replayed-run.tsx";
import { ReviewQueue } from "./review-queue.tsx";

const TABS = [
  { name: "results", label: "Experiments" },
  { name: "datasets", label: "Datasets" },
  { name: "replays", label: "Replays" },
  { name: "review", label: "Review" },
  { name: "live", label: "Live" },
] as const;

export default function ExperimentsScreen() {
  const [tab, go] = useTab("/experiments", TABS);
  const { id, cell } = useParams<{ id?: string; cell?: string }>();
  return (
    <Screen
      wide
      title="Experiments"
      lead="Measure variants of an agent on a dataset. Tools with side effects never run."
    >
      <Tabs label="Experiments" tabs={TABS} current={tab} onChange={go}>
        {tab === "results" && <Results id={id} cell={cell} />}
        {tab === "datasets" && (id === undefined ? <DatasetList /> : <DatasetView key={id} id={id} />)}
        {tab === "replays" && <Replays id={id} runId={cell} />}
        {tab === "review" && <ReviewQueue key={id} id={id} />}
        {tab === "live" && <MonitorList />}
      </Tabs>
    </Screen>
  );
}

function Results({ id, cell }: { id: string | undefined; cell: string | undefined }) {
  if (id === undefined) return <ExperimentList />;
  if (cell === undefined) return <ExperimentView id={id} />;
  return <CellTrace id={id} cellId={cell} />;
}

function Replays({ id, runId }: { id: string | undefined; runId: string | undefined }) {
  if (id === undefined) return <ReplayList />;
  if (runId === undefined) return <ReplayView id={id} />;
  return <ReplayedRunView id={id} runId={runId} />;
}
