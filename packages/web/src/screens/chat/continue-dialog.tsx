/** Continues the session in another program: first the list of what is and is not carried over, then the button. */
import type { Compatibility, ContinueIn, Session } from "@capstan/client";
import { useState } from "react";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { ChangeFailure, Loaded } from "../../kit/states.tsx";
import { ProgramField, programText } from "../../programs/program-field.tsx";
import { api } from "../../server/api.ts";
import { useChange, useRead } from "../../server/queries.ts";

interface ContinueDialogProps {
  session: Session;
  /** The program that answers now. */
  current: ContinueIn;
  onClose: () => void;
}

export function ContinueDialog({ session, current, onClose }: ContinueDialogProps) {
  const [to, setTo] = useState<ContinueIn>(current);
  const report = useRead(["compatibility", session.id, to.harness, to.model], (signal) =>
    api.sessions.compatibility(session.id, { in: to.harness, model: to.model }, signal),
  );
  const change = useChange(async () => {
    const changed = await api.sessions.update(session.id, { continue_in: to });
    if (changed.ok) onClose();
    return changed;
  }, ["sessions"]);
  return (
    <Dialog
      title="Continue in another program"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            busy={change.isPending}
            doing="Continuing…"
            disabled={!report.data || report.data.refusal !== null}
            onClick={() => change.mutate(undefined)}
          >
            Continue in {programText(to)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <ProgramField label="Program" value={to} onChange={setTo} />
        <Loaded query={report} what="the list of what comes along">
          {(data) => <Report report={data} />}
        </Loaded>
        <ChangeFailure error={change.error} />
      </div>
    </Dialog>
  );
}

function Report({ report }: { report: Compatibility }) {
  if (report.refusal)
    return (
      <p role="alert" className="text-sm text-bad">
        {report.refusal.message} {report.refusal.nextStep}
      </p>
    );
  return (
    <>
      <Lines title="Comes along" lines={report.comes_along} />
      <Lines title="Not carried over" lines={report.left_behind} />
    </>
  );
}

function Lines({ title, lines }: { title: string; lines: Compatibility["comes_along"] }) {
  if (lines.length === 0) return null;
  return (
    <section aria-label={title}>
      <h3 className="mb-1 text-xs font-semibold text-ink-soft">{title}</h3>
      <ul className="list-disc pl-5 text-sm">
        {lines.map(({ what, detail }) => (
          <li key={what}>{detail}</li>
        ))}
      </ul>
    </section>
  );
}
