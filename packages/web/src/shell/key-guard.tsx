import { type ReactNode, useState } from "react";
import { Button } from "../kit/button.tsx";
import { Field, TextInput } from "../kit/field.tsx";
import { failureOf, storedKey, storeKey } from "../server/api.ts";
import { queryClient } from "../server/queries.ts";
import { useStatus } from "../server/use-status.ts";
import { CapstanMark } from "./capstan-mark.tsx";
import { OrganisationSwitch } from "./organisation-switch.tsx";
import { NoRole, SignIn, useMe } from "./sign-in.tsx";

/** A server that is not on loopback requires a key or a sign-in for every request. */
export function KeyGuard({ children }: { children: ReactNode }) {
  const status = useStatus();
  const me = useMe().data;
  const refused = status.isError ? failureOf(status.error).code : undefined;
  if (refused === "forbidden" && me?.by === "login")
    return (
      <NoRole me={me}>
        <OrganisationSwitch />
      </NoRole>
    );
  if (refused !== "unauthenticated") return children;
  if (me?.provider && storedKey() === undefined)
    return (
      <SignIn provider={me.provider}>
        <KeyPrompt />
      </SignIn>
    );
  return <KeyPrompt />;
}

function KeyPrompt() {
  const [key, setKey] = useState("");
  return (
    <main className="flex h-full items-center justify-center p-4">
      <form
        className="flex w-full max-w-sm flex-col gap-4 rounded-xl border border-line bg-surface p-6 shadow-raised"
        onSubmit={(event) => {
          event.preventDefault();
          storeKey(key.trim());
          void queryClient.resetQueries();
        }}
      >
        <CapstanMark className="size-9" />
        <h1 className="text-lg font-semibold">API key required</h1>
        <Field
          label="API key"
          hint="Create one with `capstan keys create` on the server. Stored for this tab only."
        >
          {(control) => (
            <TextInput
              {...control}
              type="password"
              autoComplete="off"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" look="primary" disabled={key.trim() === ""}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
