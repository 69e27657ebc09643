/** Accounts at other services: the list, the page that asks for one, and the page that a provider sends the browser back to. */
import { useParams } from "wouter";
import { Screen } from "../../kit/screen.tsx";
import { ConnectPage } from "./connect-page.tsx";
import { ConnectionList } from "./connection-list.tsx";
import { FinishPage } from "./finish-page.tsx";

export default function ConnectionsScreen() {
  const { step } = useParams<{ step?: string }>();
  if (step === "connect") return <ConnectPage />;
  if (step === "callback" || step === "from") return <FinishPage />;
  return (
    <Screen title="Connections" lead="Your accounts at other services, for agents that act on your behalf.">
      <ConnectionList />
    </Screen>
  );
}
