/** Everything a failed command printed, read when asked for. The failure's next step names it, wherever the failure is shown. */
import { useState } from "react";
import { api } from "../server/api.ts";
import { useRead } from "../server/queries.ts";
import { Button } from "./button.tsx";
import { ScrollRegion } from "./scroll-region.tsx";

const NAMED = /`capstan output ([\w-]+)`/;

export function WholeOutput({ nextStep = "" }: { nextStep?: string | undefined }) {
  const id = NAMED.exec(nextStep)?.[1];
  const [open, setOpen] = useState(false);
  if (id === undefined) return null;
  return open ? (
    <Printed id={id} />
  ) : (
    <Button size="sm" className="mt-2 self-start" onClick={() => setOpen(true)}>
      Show whole output
    </Button>
  );
}

function Printed({ id }: { id: string }) {
  const output = useRead(["output", id], (signal) => api.packages.output(id, signal));
  if (output.isError) return <p className="mt-2">{output.error.message}</p>;
  if (!output.data) return <p className="mt-2">Loading…</p>;
  const { command, exit_code, stdout, stderr, cut } = output.data;
  return (
    <div className="mt-2 text-ink">
      <p className="mb-1 text-xs text-ink-soft">
        {command} ended with code {exit_code}
        {cut && "; it printed more than is kept"}
      </p>
      <ScrollRegion label="Whole output" className="max-h-80 overflow-auto rounded-md bg-sunken p-3 text-xs">
        <pre className="whitespace-pre-wrap">{[stdout, stderr].filter((text) => text !== "").join("\n")}</pre>
      </ScrollRegion>
    </div>
  );
}
