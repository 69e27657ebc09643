import { Badge, type Tone } from "./badge.tsx";

const TONES: Record<string, Tone> = { auto: "good", approve: "warn", client: "thought", deny: "bad" };

/** What happens when a tool is called: it runs, someone is asked, the client runs it, or it is refused. */
export const PolicyBadge = ({ policy }: { policy: string }) => (
  <Badge tone={TONES[policy] ?? "plain"}>{policy}</Badge>
);
