/** Keys of the inbox: j and k go from card to card, a approves, e edits, d denies the card one is at. */
import { type RefObject, useEffect } from "react";
import { isTyping } from "../../shell/shortcuts.ts";

const STEPS: Record<string, number> = { j: 1, k: -1 };
const ANSWERS: Record<string, string> = { a: "approve", e: "edit", d: "deny" };

export function useApprovalKeys(list: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const target = targetOf(list.current, event.key);
      if (!target) return;
      event.preventDefault(); // else the letter is typed into the form that opens
      if (event.key in STEPS) target.focus();
      else target.click();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [list]);
}

/** The card to go to, or the button to press. */
function targetOf(list: HTMLElement | null, key: string): HTMLElement | null | undefined {
  const cards = [...(list?.querySelectorAll<HTMLElement>("[data-approval]") ?? [])];
  const at = cards.findIndex((card) => card.contains(document.activeElement));
  const step = STEPS[key];
  if (step !== undefined) return cards[Math.min(cards.length - 1, Math.max(0, at + step))];
  const answer = ANSWERS[key];
  if (answer === undefined) return undefined;
  return cards[Math.max(0, at)]?.querySelector<HTMLElement>(`[data-answer="${answer}"]`);
}
