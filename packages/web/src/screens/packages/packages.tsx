import { useLocation, useParams } from "wouter";
import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { PackageList } from "./package-list.tsx";
import { Services } from "./services.tsx";
import { Triggers } from "./triggers.tsx";

const TABS = [
  { name: "installed", label: "Installed" },
  { name: "services", label: "Services" },
  { name: "triggers", label: "Triggers" },
] as const;
type TabName = (typeof TABS)[number]["name"];

export default function Packages() {
  const { tab = "installed" } = useParams<{ tab?: TabName }>();
  const [, go] = useLocation();
  return (
    <Screen
      title="Packages"
      lead="Capabilities from elsewhere: reviewed before they come in, with the rights you give them, and nothing left when they go."
    >
      <Tabs
        label="Packages"
        tabs={TABS}
        current={tab}
        onChange={(name) => go(`/packages/${name}`, { replace: true })}
      >
        {tab === "installed" && <PackageList />}
        {tab === "services" && <Services />}
        {tab === "triggers" && <Triggers />}
      </Tabs>
    </Screen>
  );
}
