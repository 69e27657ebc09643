import Menu from "lucide-react/icons/menu";
import Search from "lucide-react/icons/search";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Badge } from "../kit/badge.tsx";
import { Button, IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { usePendingApprovals, useStatus } from "../server/use-status.ts";
import { CapstanMark } from "./capstan-mark.tsx";
import { Keyboard, openFromShell } from "./keyboard.tsx";
import { LeaveDialog } from "./leave-dialog.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganisationSwitch } from "./organisation-switch.tsx";
import { ReachBanner } from "./reach-banner.tsx";
import { SignOut, useMe } from "./sign-in.tsx";

/** The frame around every screen: navigation on the left, on phones behind a button. */
export function Shell({ children }: { children: ReactNode }) {
  return (
    <div className="flex h-full flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-10 focus:m-2 focus:rounded-lg focus:bg-surface focus:p-2"
      >
        Skip to content
      </a>
      <ReachBanner />
      <Keyboard />
      <LeaveDialog />
      <PhoneBar />
      <div className="flex min-h-0 flex-1">
        <aside className="scroll-quiet hidden w-14 shrink-0 flex-col gap-5 overflow-y-auto border-r border-line px-2 py-4 md:flex lg:hidden">
          <Link href="/" aria-label="Capstan" className="flex justify-center">
            <CapstanMark className="size-7" />
          </Link>
          <Navigation narrow />
        </aside>
        <aside className="scroll-quiet hidden w-54 shrink-0 flex-col gap-5 overflow-y-auto border-r border-line px-3 py-4 lg:flex">
          <Brand />
          <Button className="-my-2 justify-between! text-ink-soft!" onClick={() => openFromShell("palette")}>
            <span className="flex items-center gap-2">
              <Search className="size-4" aria-hidden />
              Search
            </span>
            <kbd className="font-mono text-xs text-ink-faint">Ctrl K</kbd>
          </Button>
          <Navigation />
          <ServerFacts />
        </aside>
        <main id="content" tabIndex={-1} className="min-w-0 flex-1 outline-none">
          {children}
        </main>
      </div>
    </div>
  );
}

const Brand = () => (
  <Link href="/" className="flex items-center gap-2.5 rounded-lg px-2">
    <CapstanMark className="size-7" />
    <span className="text-base font-semibold tracking-tight">Capstan</span>
  </Link>
);

function PhoneBar() {
  const [open, setOpen] = useState(false);
  const waiting = usePendingApprovals().data?.items.length ?? 0;
  return (
    <header className="flex h-12 shrink-0 items-center justify-between border-b border-line px-2 md:hidden">
      <Brand />
      <span className="flex items-center gap-1">
        {waiting > 0 && (
          <Link
            href="/approvals"
            aria-label={`${waiting} waiting for approval`}
            className="numbers rounded-full bg-warn-soft px-2 py-0.5 text-xs font-semibold text-warn"
          >
            {waiting}
          </Link>
        )}
        <IconButton size="md" label="Search and commands" onClick={() => openFromShell("palette")}>
          <Search className="size-5" aria-hidden />
        </IconButton>
        <IconButton size="md" label="Menu" onClick={() => setOpen(true)}>
          <Menu className="size-5" aria-hidden />
        </IconButton>
      </span>
      {open && (
        <Dialog title="Capstan" onClose={() => setOpen(false)}>
          <Navigation onGo={() => setOpen(false)} />
          <OrganisationSwitch />
          <WhoIsSignedIn />
        </Dialog>
      )}
    </header>
  );
}

/** Who is signed in; nothing where nobody has to. */
function WhoIsSignedIn() {
  const me = useMe().data;
  if (me?.by !== "login") return null;
  return (
    <div className="flex items-center justify-between gap-2 pb-2">
      <span className="min-w-0 truncate" title={me.user ?? ""}>
        {me.name ?? me.user}
      </span>
      <SignOut />
    </div>
  );
}

/** The current model, and whether it is only the demo. */
function ServerFacts() {
  const { data } = useStatus();
  if (!data) return null;
  return (
    <div className="mt-auto flex flex-col gap-1 px-2 text-xs text-ink-faint">
      <OrganisationSwitch />
      <WhoIsSignedIn />
      <span className="flex flex-wrap items-center gap-1.5">
        <Link href="/settings/models" className="rounded-sm hover:underline">
          {data.model.name}
        </Link>
        {data.model.demo && <Badge tone="warn">demo</Badge>}
      </span>
      <span>Capstan {data.version}</span>
    </div>
  );
}
