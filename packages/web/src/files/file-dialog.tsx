import type { SessionFile } from "@capstan/client";
import { useState } from "react";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { TextArea } from "../kit/field.tsx";
import { saveAs } from "../kit/save-as.ts";
import { ChangeFailure, Loaded } from "../kit/states.tsx";
import { Tabs } from "../kit/tabs.tsx";
import { bytes } from "../kit/words.ts";
import { api } from "../server/api.ts";
import { useChange, useRead } from "../server/queries.ts";
import { FileChanges } from "./file-changes.tsx";
import { fileKind } from "./file-kind.ts";
import { FilePreview } from "./file-preview.tsx";
import { readText } from "./read-text.ts";

interface FileDialogProps {
  sessionId: string;
  file: SessionFile;
  /** What the agent wrote to it in this conversation, oldest first. */
  versions: readonly string[];
  onClose: () => void;
}

/** One file: see it, see what the agent changed, change it when it is text, download it, delete it. */
export function FileDialog({ sessionId, file, versions, onClose }: FileDialogProps) {
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
            doing="Deleting…"
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
          {(data) => (
            <Content
              key={file.updated_at}
              sessionId={sessionId}
              file={file}
              data={data}
              versions={versions}
            />
          )}
        </Loaded>
        <ChangeFailure error={remove.error} />
      </div>
    </Dialog>
  );
}

interface ContentProps extends Pick<FileDialogProps, "sessionId" | "file" | "versions"> {
  data: Uint8Array;
}

type View = "preview" | "changes" | "edit";

function Content({ sessionId, file, data, versions }: ContentProps) {
  const [view, setView] = useState<View>("preview");
  const text = readText(data);
  const kind = fileKind(file.path, text);
  const before = versions.at(-2) ?? "";
  const tabs: { name: View; label: string }[] = [
    { name: "preview", label: "Preview" },
    ...(text !== undefined && versions.length > 0 ? [{ name: "changes" as const, label: "Changes" }] : []),
    ...(text !== undefined && !file.is_readonly ? [{ name: "edit" as const, label: "Edit" }] : []),
  ];
  return (
    <Tabs label="File" tabs={tabs} current={view} onChange={setView}>
      {view === "preview" && <FilePreview file={file} kind={kind} data={data} text={text} />}
      {view === "changes" && <FileChanges before={before} after={text ?? ""} label={file.path} />}
      {view === "edit" && <EditText sessionId={sessionId} file={file} original={text ?? ""} />}
    </Tabs>
  );
}

interface EditTextProps extends Pick<FileDialogProps, "sessionId" | "file"> {
  original: string;
}

function EditText({ sessionId, file, original }: EditTextProps) {
  const [text, setText] = useState(original);
  const save = useChange((body: string) => api.files.write(sessionId, file.path, body), ["files"]);
  return (
    <div className="flex flex-col gap-2">
      <TextArea
        aria-label={`Content of ${file.path}`}
        rows={16}
        spellCheck={false}
        className="font-mono text-xs"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex items-center gap-3">
        <Button
          look="primary"
          disabled={text === original}
          busy={save.isPending}
          doing="Saving…"
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
      <ChangeFailure error={save.error} />
    </div>
  );
}
