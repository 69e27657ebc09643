/** What a tool reads and writes, as badges: only what rules look at. */
import { Badge } from "./badge.tsx";

const READS: Readonly<Record<string, string>> = {
  untrusted: "Returns content from outside, which may contain instructions.",
  private: "Returns this user's private data.",
};
const WRITES: Readonly<Record<string, string>> = {
  external: "Sends data out of this server.",
  irreversible: "A call cannot be undone.",
};

export function FlowBadges({
  reads = [],
  writes = [],
}: {
  reads?: readonly string[] | undefined;
  writes?: readonly string[] | undefined;
}) {
  const shown = [
    ...reads.flatMap((read) => (READS[read] ? [{ text: `reads ${read}`, title: READS[read] }] : [])),
    ...writes.flatMap((write) => (WRITES[write] ? [{ text: `writes ${write}`, title: WRITES[write] }] : [])),
  ];
  return shown.map(({ text, title }) => (
    <Badge key={text} title={title}>
      {text}
    </Badge>
  ));
}
