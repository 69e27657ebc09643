import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { Delegate } from "./delegate.tsx";
import { Matrix } from "./matrix.tsx";
import { Models } from "./models.tsx";

const TABS = [
  { name: "matrix", label: "Matrix" },
  { name: "models", label: "Models" },
  { name: "run", label: "Run" },
] as const;

export default function CodingAgents() {
  const [view, go] = useTab("/coding-agents", TABS);
  return (
    <Screen wide title="Coding agents" lead="Features each agent claims, and what we verified here.">
      <Tabs label="Coding agents" tabs={TABS} current={view} onChange={go}>
        {view === "matrix" && <Matrix />}
        {view === "models" && <Models />}
        {view === "run" && <Delegate />}
      </Tabs>
    </Screen>
  );
}
