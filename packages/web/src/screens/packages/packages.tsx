import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { PackageList } from "./package-list.tsx";
import { Services } from "./services.tsx";
import { Triggers } from "./triggers.tsx";

const TABS = [
  { name: "installed", label: "Installed" },
  { name: "services", label: "Services" },
  { name: "triggers", label: "Triggers" },
] as const;

export default function Packages() {
  const [tab, go] = useTab("/packages", TABS);
  return (
    <Screen title="Packages" lead="Install capabilities. Review permissions first; uninstall cleanly.">
      <Tabs label="Packages" tabs={TABS} current={tab} onChange={go}>
        {tab === "installed" && <PackageList />}
        {tab === "services" && <Services />}
        {tab === "triggers" && <Triggers />}
      </Tabs>
    </Screen>
  );
}
