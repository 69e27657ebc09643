/** The shortcuts that work on every screen, and what they open. Loaded when first used. */
import { lazy, type RefObject, Suspense, useEffect, useRef, useState } from "react";
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

/** What a key opens, if anything. */
function openedBy({ ctrlKey, metaKey, key, target }: KeyboardEvent): Opened | undefined {
  if ((ctrlKey || metaKey) && key.toLowerCase() === "k") return "palette";
  return key === "?" && !isTyping(target) ? "help" : undefined;
}

/** Keeps a character that is typed while the palette loads. */
function collected(event: KeyboardEvent, early: RefObject<string | undefined>): boolean {
  if (early.current === undefined || event.key.length > 1) return false;
  event.preventDefault();
  early.current += event.key;
  return true;
}

const isInDialog = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest("dialog, [role=dialog]") !== null;

export function Keyboard() {
  const [opened, setOpened] = useState<Opened>();
  const [, go] = useLocation();
  const early = useRef<string>(undefined); // typed while the palette loads; the page must not act on it
  useApprovalNotifications(go);
  useEffect(() => {
    const goTo = goKeys(go);
    const pressed = (event: KeyboardEvent) => {
      const opens = openedBy(event);
      if (opens !== "palette" && collected(event, early)) return;
      if (opens === undefined) return goTo(event);
      event.preventDefault();
      if (opens === "palette" && !isInDialog(event.target)) early.current ??= "";
      setOpened(opens);
    };
    const asked = (event: Event) => setOpened((event as CustomEvent<Opened>).detail);
    window.addEventListener("keydown", pressed);
    window.addEventListener(OPEN, asked);
    return () => {
      window.removeEventListener("keydown", pressed);
      window.removeEventListener(OPEN, asked);
    };
  }, [go]);
  const close = () => {
    early.current = undefined;
    setOpened(undefined);
  };
  return (
    <Suspense>
      {opened === "palette" && (
        <CommandPalette early={early} onClose={close} onShortcuts={() => setOpened("help")} />
      )}
      {opened === "help" && <ShortcutHelp onClose={close} />}
    </Suspense>
  );
}
