import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { About } from "./about.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Keys } from "./keys.tsx";
import { Logins } from "./logins.tsx";
import { Providers } from "./providers.tsx";
import { Tokens } from "./tokens.tsx";
import { Users } from "./users.tsx";

const TABS = [
  { name: "models", label: "Models" },
  { name: "keys", label: "API keys" },
  { name: "tokens", label: "Tokens" },
  { name: "logins", label: "Logins" },
  { name: "users", label: "Users" },
  { name: "audit", label: "Audit log" },
  { name: "about", label: "This server" },
] as const;

export default function Settings() {
  const [tab, go] = useTab("/settings", TABS);
  return (
    <Screen title="Settings" lead="Models, keys, tokens, logins, users and the audit log.">
      <Tabs label="Settings" tabs={TABS} current={tab} onChange={go}>
        {tab === "models" && <Providers />}
        {tab === "keys" && <Keys />}
        {tab === "tokens" && <Tokens />}
        {tab === "logins" && <Logins />}
        {tab === "users" && <Users />}
        {tab === "audit" && <AuditLog />}
        {tab === "about" && <About />}
      </Tabs>
    </Screen>
  );
}
