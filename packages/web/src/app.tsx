/** The screens by path. Each is loaded when first opened. */
import { type ComponentType, lazy, Suspense } from "react";
import { Route, Router, Switch, useLocation } from "wouter";
import { Loading } from "./kit/states.tsx";
import { CrashNote } from "./shell/crash-note.tsx";
import { KeyGuard } from "./shell/key-guard.tsx";
import { useGuardedLocation } from "./shell/leave-guard.ts";
import { Shell } from "./shell/shell.tsx";

const SCREENS: [path: string, screen: ComponentType][] = [
  ["/", lazy(() => import("./screens/home/home.tsx"))],
  ["/chat/:session?", lazy(() => import("./screens/chat/chat-screen.tsx"))],
  ["/compare/:session/:comparison", lazy(() => import("./screens/compare/compare-screen.tsx"))],
  ["/agents", lazy(() => import("./screens/agents/agent-list.tsx"))],
  ["/agents/:id/history", lazy(() => import("./screens/agents/agent-history.tsx"))],
  ["/agents/:id", lazy(() => import("./screens/agents/agent-editor.tsx"))],
  ["/sessions", lazy(() => import("./screens/session/session-list.tsx"))],
  ["/sessions/:id/:tab?", lazy(() => import("./screens/session/session-screen.tsx"))],
  ["/approvals", lazy(() => import("./screens/approvals/approvals.tsx"))],
  ["/rules", lazy(() => import("./screens/rules/rules-screen.tsx"))],
  ["/budgets", lazy(() => import("./screens/budgets/budgets-screen.tsx"))],
  ["/experiments/:tab?/:id?/:cell?", lazy(() => import("./screens/experiments/experiments-screen.tsx"))],
  ["/memories", lazy(() => import("./screens/memories/memories-screen.tsx"))],
  ["/capabilities", lazy(() => import("./screens/capabilities/catalog.tsx"))],
  ["/capabilities/:id", lazy(() => import("./screens/capabilities/capability-detail.tsx"))],
  ["/route/:tab?", lazy(() => import("./screens/route/route-screen.tsx"))],
  ["/coding-agents/:tab?", lazy(() => import("./screens/coding-agents/coding-agents.tsx"))],
  ["/packages/:tab?", lazy(() => import("./screens/packages/packages.tsx"))],
  ["/schedules", lazy(() => import("./screens/packages/schedule-screen.tsx"))],
  ["/usage", lazy(() => import("./screens/usage/usage-screen.tsx"))],
  ["/connections/:step?/:provider?", lazy(() => import("./screens/connections/connections-screen.tsx"))],
  ["/consent", lazy(() => import("./screens/consent/consent.tsx"))],
  ["/shared", lazy(() => import("./screens/linked-session/linked-session.tsx"))],
  ["/settings/:tab?", lazy(() => import("./screens/settings/settings.tsx"))],
  ["*", lazy(() => import("./screens/home/no-such-screen.tsx"))],
];

export const App = () => (
  <Router hook={useGuardedLocation}>
    <Screens />
  </Router>
);

function Screens() {
  const [location] = useLocation();
  const first = location.split("/")[1];
  const screen = (
    <CrashNote key={first}>
      <Suspense fallback={<ScreenLoading />}>
        <Switch>
          {SCREENS.map(([path, each]) => (
            <Route key={path} path={path} component={each} />
          ))}
        </Switch>
      </Suspense>
    </CrashNote>
  );
  if (first === "shared") return screen; // a visitor with a link has no key and sees nothing else
  return (
    <KeyGuard>
      <Shell>{screen}</Shell>
    </KeyGuard>
  );
}

const ScreenLoading = () => (
  <div className="mx-auto max-w-5xl px-4 py-8 md:px-8">
    <Loading rows={5} />
  </div>
);
