import type { SessionFile } from "@capstan/client";
import { useState } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { TextArea } from "../kit/field.tsx";
import { saveAs } from "../kit/save-as.ts";
import { ChangeFailure, Loaded } from "../kit/states.tsx";
import { bytes } from "../kit/words.ts";
import { api } from "../server/api.ts";
import { useChange, useRead } from "../server/queries.ts";
import { readText } from "./read-text.ts";

interface FileDialogProps {
  sessionId: string;
  file: SessionFile;
  onClose: () => void;
}

/** One file: read it, change it when it is text, download it, delete it. */
export function FileDialog({ sessionId, file, onClose }: FileDialogProps) {
  const content = useRead(["files", sessionId, "content", file.path, file.updated_at], (signal) =>
    api.files.read(sessionId, file.path, signal),
  );
  const remove = useChange(() => api.files.delete(sessionId, file.path), ["files"]);
  return (
    <Dialog
      wide
      title={file.path}
      onClose={onClose}
      footer={
        <>
          <Button
            look="danger"
            disabled={file.is_readonly}
            busy={remove.isPending}
            onClick={() => remove.mutate(undefined, { onSuccess: onClose })}
          >
            Delete
          </Button>
          <span className="flex-1" />
          <Button disabled={!content.data} onClick={() => content.data && saveAs(file.name, content.data)}>
            Download
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p className="text-xs text-ink-faint">
          {bytes(file.size_bytes)}
          {file.is_readonly && ", read only"}
        </p>
        <Loaded query={content} what="Files" rows={6}>
          {(data) => <Content key={file.updated_at} sessionId={sessionId} file={file} data={data} />}
        </Loaded>
        <ChangeFailure error={remove.error} />
      </div>
    </Dialog>
  );
}

interface ContentProps {
  sessionId: string;
  file: SessionFile;
  data: Uint8Array;
}

function Content({ sessionId, file, data }: ContentProps) {
  const original = readText(data);
  const [text, setText] = useState(original ?? "");
  const save = useChange((body: string) => api.files.write(sessionId, file.path, body), ["files"]);
  if (original === undefined)
    return <p className="text-ink-soft">No preview for this file type. Download it to open it.</p>;
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        aria-label={`Content of ${file.path}`}
        rows={16}
        spellCheck={false}
        readOnly={file.is_readonly}
        className="font-mono text-xs"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {!file.is_readonly && (
        <div className="flex items-center gap-3">
          <Button
            look="primary"
            disabled={text === original}
            busy={save.isPending}
            onClick={() => save.mutate(text)}
          >
            Save
          </Button>
          {save.isSuccess && (
            <span role="status" className="text-good">
              Saved.
            </span>
          )}
        </div>
      )}
      <ChangeFailure error={save.error} />
    </div>
  );
}
