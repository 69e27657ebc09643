/** Shown to people who are not signed in or have no role: how to sign in, or whom to ask. */
import type { Me } from "@capstan/client";
import { type ReactNode, useState } from "react";
import { Button } from "../kit/button.tsx";
import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";
import { CapstanMark } from "./capstan-mark.tsx";

export const useMe = () => useRead(["me"], (signal) => api.logins.me(signal));

/** Chosen by the code in the address, which cannot put other text here. */
const PROBLEMS: Readonly<Record<string, string>> = {
  expired: "The sign-in took too long or was started in another browser. Try again.",
  refused: "The provider's response could not be verified. Try again; the reason is in the server's log.",
  unavailable: "The provider cannot be reached. Try again in a moment.",
  denied: "The sign-in was cancelled.",
  not_allowed: "This account may not sign in here. Ask an admin of this server.",
};

export function SignIn({
  provider,
  children,
}: {
  provider: NonNullable<Me["provider"]>;
  children: ReactNode;
}) {
  const [withKey, setWithKey] = useState(false);
  if (withKey) return children;
  const query = new URLSearchParams(location.search);
  const problem = Object.entries(PROBLEMS).find(([word]) => word === query.get("sign_in"))?.[1];
  query.delete("sign_in");
  const rest = query.size > 0 ? `?${query}` : "";
  const here = encodeURIComponent(location.pathname + rest + location.hash);
  return (
    <Card title="Sign in">
      {problem !== undefined && (
        <p role="alert" className="rounded-lg bg-warn-soft p-3 text-sm text-warn">
          {problem}
        </p>
      )}
      <Button look="primary" onClick={() => location.assign(`/login?return_to=${here}`)}>
        Sign in with {new URL(provider.issuer).host}
      </Button>
      <Button onClick={() => setWithKey(true)}>Use an API key</Button>
    </Card>
  );
}

/** Signed in, and allowed nothing. */
export const NoRole = ({ me, children }: { me: Me; children: ReactNode }) => (
  <Card title="No role yet">
    <p className="text-sm text-ink-soft">
      You are signed in as {me.user}, but you have no role yet. Ask an admin of this server.
    </p>
    {children}
    <SignOut />
  </Card>
);

export function SignOut() {
  const [busy, setBusy] = useState(false);
  return (
    <Button
      size="sm"
      busy={busy}
      doing="Signing out…"
      onClick={() => {
        setBusy(true);
        void fetch("/logout", { method: "POST" }).finally(() => location.assign("/"));
      }}
    >
      Sign out
    </Button>
  );
}

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <main className="flex h-full items-center justify-center p-4">
    <div className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-raised">
      <CapstanMark className="size-9" />
      <h1 className="text-lg font-semibold">{title}</h1>
      {children}
    </div>
  </main>
);
