/** Recently chosen models in this browser. */
const PLACE = "capstan.recent-models";
const MOST = 4;

export function recentModels(): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PLACE) ?? "[]");
    return Array.isArray(kept) ? kept.filter((name) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

export function rememberModel(name: string): void {
  const kept = [name, ...recentModels().filter((each) => each !== name)].slice(0, MOST);
  localStorage.setItem(PLACE, JSON.stringify(kept));
}
