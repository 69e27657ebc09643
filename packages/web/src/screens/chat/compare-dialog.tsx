/** The same message to several programs or models; each answers in a branch with its own copy of the files. */
import type { ContinueIn, Session } from "@capstan/client";
import { useState } from "react";
import { useLocation } from "wouter";
import { Button } from "../../kit/button.tsx";
import { Dialog } from "../../kit/dialog.tsx";
import { Field, TextArea } from "../../kit/field.tsx";
import { ChangeFailure } from "../../kit/states.tsx";
import { ProgramField } from "../../programs/program-field.tsx";
import { api } from "../../server/api.ts";
import { useChange } from "../../server/queries.ts";

const MOST_PROGRAMS = 6;

interface CompareDialogProps {
  session: Session;
  current: ContinueIn;
  onClose: () => void;
}

export function CompareDialog({ session, current, onClose }: CompareDialogProps) {
  const [content, setContent] = useState("");
  const [programs, setPrograms] = useState<ContinueIn[]>([current, { harness: "native" }]);
  const [, go] = useLocation();
  const start = useChange(async () => {
    const started = await api.sessions.compare(session.id, { content, in: programs });
    if (started.ok) go(`/compare/${session.id}/${started.value.id}`);
    return started;
  }, ["sessions"]);
  return (
    <Dialog
      title="Compare programs"
      onClose={onClose}
      footer={
        <>
          {programs.length < MOST_PROGRAMS && (
            <Button onClick={() => setPrograms([...programs, { harness: "native" }])}>Add a program</Button>
          )}
          <Button
            look="primary"
            busy={start.isPending}
            doing="Sending…"
            disabled={content.trim() === ""}
            onClick={() => start.mutate(undefined)}
          >
            Send to {programs.length}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Field label="Message" required>
          {(control) => (
            <TextArea
              {...control}
              rows={4}
              value={content}
              onChange={({ target }) => setContent(target.value)}
            />
          )}
        </Field>
        {programs.map((program, index) => (
          <ProgramField
            // biome-ignore lint/suspicious/noArrayIndexKey: a place in the list is all that a program has
            key={index}
            label={`Program ${index + 1}`}
            value={program}
            onChange={(value) => setPrograms(programs.with(index, value))}
          />
        ))}
        <ChangeFailure error={start.error} />
      </div>
    </Dialog>
  );
}
