import { useLocation, useParams } from "wouter";
import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { Delegate } from "./delegate.tsx";
import { Matrix } from "./matrix.tsx";
import { Models } from "./models.tsx";

type View = "matrix" | "models" | "run";

export default function CodingAgents() {
  const { tab: view = "matrix" } = useParams<{ tab?: View }>();
  const [, go] = useLocation();
  return (
    <Screen
      wide
      title="Coding agents"
      lead="What each declares, what a probe found, what runs have shown. Where they differ, what was seen counts."
    >
      <Tabs
        label="Coding agents"
        tabs={[
          { name: "matrix", label: "Matrix" },
          { name: "models", label: "Models" },
          { name: "run", label: "Run one" },
        ]}
        current={view}
        onChange={(name) => go(`/coding-agents/${name}`, { replace: true })}
      >
        {view === "matrix" && <Matrix />}
        {view === "models" && <Models />}
        {view === "run" && <Delegate />}
      </Tabs>
    </Screen>
  );
}
