/** Light, dark, or the system's setting. `public/theme.js` does the same before the first paint. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const PLACE = "capstan.theme";
const system = matchMedia("(prefers-color-scheme: dark)");
const listeners = new Set<() => void>();

function chosen(): Theme {
  const stored = localStorage.getItem(PLACE);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function show(): void {
  const theme = chosen();
  const dark = theme === "dark" || (theme === "system" && system.matches);
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}
system.addEventListener("change", show);

export function setTheme(theme: Theme): void {
  if (theme === "system") localStorage.removeItem(PLACE);
  else localStorage.setItem(PLACE, theme);
  show();
}

export const useTheme = (): Theme =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosen);
