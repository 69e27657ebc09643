import { Screen } from "../../kit/screen.tsx";
import { Tabs } from "../../kit/tabs.tsx";
import { useTab } from "../../kit/use-tab.ts";
import { useMe } from "../../shell/sign-in.tsx";
import { About } from "./about.tsx";
import { AuditLog } from "./audit-log.tsx";
import { Keys } from "./keys.tsx";
import { Logins } from "./logins.tsx";
import { Organisations } from "./organisations.tsx";
import { Providers } from "./providers.tsx";
import { Tokens } from "./tokens.tsx";
import { Users } from "./users.tsx";

const TABS = [
  { name: "models", label: "Models" },
  { name: "keys", label: "API keys" },
  { name: "tokens", label: "Tokens" },
  { name: "logins", label: "Logins" },
  { name: "users", label: "Users" },
  { name: "organisations", label: "Organisations" },
  { name: "audit", label: "Audit log" },
  { name: "about", label: "This server" },
] as const;

const FIRST_ORGANISATION = "default";

export default function Settings() {
  const me = useMe().data;
  const isOfFirst = me?.organisation === FIRST_ORGANISATION; // null while there is only one
  const [models, ...others] = TABS;
  const tabs = [models, ...others.filter(({ name }) => name !== "organisations" || isOfFirst)] as const;
  const [tab, go] = useTab("/settings", tabs);
  return (
    <Screen title="Settings" lead="Models, keys, tokens, logins, users and the audit log.">
      <Tabs label="Settings" tabs={tabs} current={tab} onChange={go}>
        {tab === "models" && <Providers />}
        {tab === "keys" && <Keys />}
        {tab === "tokens" && <Tokens />}
        {tab === "logins" && <Logins />}
        {tab === "users" && <Users />}
        {tab === "organisations" && <Organisations />}
        {tab === "audit" && <AuditLog />}
        {tab === "about" && <About />}
      </Tabs>
    </Screen>
  );
}
