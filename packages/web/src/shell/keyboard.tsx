/** The shortcuts that work on every screen, and what they open. Loaded when first used. */
import { lazy, Suspense, useEffect, useState } from "react";
import { useLocation } from "wouter";
import { useApprovalNotifications } from "./notifications.ts";
import { goKeys, isTyping } from "./shortcuts.ts";

const CommandPalette = lazy(() =>
  import("./command-palette.tsx").then(({ CommandPalette }) => ({ default: CommandPalette })),
);
const ShortcutHelp = lazy(() =>
  import("./shortcut-help.tsx").then(({ ShortcutHelp }) => ({ default: ShortcutHelp })),
);

type Opened = "palette" | "help";
const OPEN = "capstan:open";

/** Opens the palette or the help from anywhere in the page. */
export const openFromShell = (what: Opened): void => {
  window.dispatchEvent(new CustomEvent(OPEN, { detail: what }));
};

export function Keyboard() {
  const [opened, setOpened] = useState<Opened>();
  const [, go] = useLocation();
  useApprovalNotifications(go);
  useEffect(() => {
    const goTo = goKeys(go);
    const pressed = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        setOpened("palette");
      } else if (event.key === "?" && !isTyping(event.target)) {
        event.preventDefault();
        setOpened("help");
      } else goTo(event);
    };
    const asked = (event: Event) => setOpened((event as CustomEvent<Opened>).detail);
    window.addEventListener("keydown", pressed);
    window.addEventListener(OPEN, asked);
    return () => {
      window.removeEventListener("keydown", pressed);
      window.removeEventListener(OPEN, asked);
    };
  }, [go]);
  const close = () => setOpened(undefined);
  return (
    <Suspense>
      {opened === "palette" && <CommandPalette onClose={close} onShortcuts={() => setOpened("help")} />}
      {opened === "help" && <ShortcutHelp onClose={close} />}
    </Suspense>
  );
}
