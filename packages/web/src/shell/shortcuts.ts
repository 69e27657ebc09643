/** The studio's keyboard shortcuts, in one table: the handler and the help read the same rows. */
export interface Shortcut {
  /** The key, or the key after `g`. */
  readonly keys: string;
  readonly label: string;
  readonly group: "Anywhere" | "Go to" | "Chat" | "Approvals" | "Review" | "Agent editor";
  readonly href?: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: "Ctrl K", label: "Open the command palette", group: "Anywhere" },
  { keys: "?", label: "Show keyboard shortcuts", group: "Anywhere" },
  { keys: "Esc", label: "Close what is open", group: "Anywhere" },
  { keys: "g h", label: "Home", group: "Go to", href: "/" },
  { keys: "g c", label: "New chat", group: "Go to", href: "/chat" },
  { keys: "g a", label: "Approvals", group: "Go to", href: "/approvals" },
  { keys: "g s", label: "Sessions", group: "Go to", href: "/sessions" },
  { keys: "g u", label: "Usage", group: "Go to", href: "/usage" },
  { keys: "g e", label: "Agents", group: "Go to", href: "/agents" },
  { keys: "Enter", label: "Send; Shift+Enter adds a line", group: "Chat" },
  { keys: "j", label: "Next approval", group: "Approvals" },
  { keys: "k", label: "Previous approval", group: "Approvals" },
  { keys: "a", label: "Approve", group: "Approvals" },
  { keys: "e", label: "Edit arguments", group: "Approvals" },
  { keys: "d", label: "Deny", group: "Approvals" },
  { keys: "j", label: "Next question", group: "Review" },
  { keys: "k", label: "Previous question", group: "Review" },
  { keys: "y", label: "Yes; also 1", group: "Review" },
  { keys: "n", label: "No; also 2", group: "Review" },
  { keys: "Ctrl S", label: "Save", group: "Agent editor" },
];

/** Whether a key belongs to what is being typed, not to the page. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
}

const WITHIN_MS = 1_500; // between `g` and the letter after it

/** Turns keys into where to go: `g` and a letter. */
export function goKeys(go: (href: string) => void): (event: KeyboardEvent) => void {
  let startedAt = Number.NEGATIVE_INFINITY;
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (event.timeStamp - startedAt < WITHIN_MS) {
      startedAt = Number.NEGATIVE_INFINITY;
      const found = SHORTCUTS.find(({ keys, href }) => href !== undefined && keys === `g ${event.key}`);
      if (!found?.href) return;
      event.preventDefault();
      go(found.href);
    } else if (event.key === "g") startedAt = event.timeStamp;
  };
}
