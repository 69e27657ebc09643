/** What `lucide-icons.ts` makes at build time. */
declare module "virtual:lucide-letters" {
  export type IconShape = [tag: string, attributes: Record<string, string>][];
  const letters: Record<string, () => Promise<{ default: Record<string, IconShape> }>>;
  export default letters;
}
