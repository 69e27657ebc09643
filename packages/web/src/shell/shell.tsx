import Menu from "lucide-react/icons/menu";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { Badge } from "../kit/badge.tsx";
import { IconButton } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { CapstanMark } from "./capstan-mark.tsx";
import { Navigation } from "./navigation.tsx";
import { ReachBanner } from "./reach-banner.tsx";
import { useStatus } from "./use-status.ts";

/** The frame around every screen: navigation at the left, on phones behind a button. */
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
      <PhoneBar />
      <div className="flex min-h-0 flex-1">
        <aside className="hidden w-14 shrink-0 flex-col gap-5 border-r border-line px-2 py-4 md:flex lg:hidden">
          <Link href="/" aria-label="Capstan" className="flex justify-center">
            <CapstanMark className="size-7" />
          </Link>
          <Navigation narrow />
        </aside>
        <aside className="hidden w-54 shrink-0 flex-col gap-6 border-r border-line px-3 py-4 lg:flex">
          <Brand />
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
  return (
    <header className="flex h-12 shrink-0 items-center justify-between border-b border-line px-2 md:hidden">
      <Brand />
      <IconButton size="md" label="Menu" onClick={() => setOpen(true)}>
        <Menu className="size-5" aria-hidden />
      </IconButton>
      {open && (
        <Dialog title="Capstan" onClose={() => setOpen(false)}>
          <Navigation onGo={() => setOpen(false)} />
        </Dialog>
      )}
    </header>
  );
}

/** Which model answers, and whether it is only the demo: never left in doubt. */
function ServerFacts() {
  const { data } = useStatus();
  if (!data) return null;
  return (
    <div className="mt-auto flex flex-col gap-1 px-2 text-xs text-ink-faint">
      <span className="flex flex-wrap items-center gap-1.5">
        {data.model.name}
        {data.model.demo && <Badge tone="warn">demo</Badge>}
      </span>
      <span>Capstan {data.version}</span>
    </div>
  );
}
