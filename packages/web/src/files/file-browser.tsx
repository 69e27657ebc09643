/** A session's files: a tree that opens folder by folder, with upload, and a dialog to read, edit, download, delete. */
import type { SessionFile } from "@capstan/client";
import ChevronRight from "lucide-react/icons/chevron-right";
import FileIcon from "lucide-react/icons/file";
import Folder from "lucide-react/icons/folder";
import Upload from "lucide-react/icons/upload";
import { useRef, useState } from "react";
import type { Entry } from "../conversation/entries.ts";
import { Badge } from "../kit/badge.tsx";
import { ActionButton } from "../kit/button.tsx";
import { cx } from "../kit/cx.ts";
import { ChangeFailure, Loaded } from "../kit/states.tsx";
import { bytes } from "../kit/words.ts";
import { api } from "../server/api.ts";
import { useCancellableChange, useRead } from "../server/queries.ts";
import { versionsOf } from "./file-changes.tsx";
import { FileDialog } from "./file-dialog.tsx";
import { safeName } from "./safe-name.ts";

interface FileBrowserProps {
  sessionId: string;
  narrow?: boolean;
  /** The conversation, which tells what the agent wrote. */
  entries?: readonly Entry[];
}

export function FileBrowser({ sessionId, narrow = false, entries = [] }: FileBrowserProps) {
  const [open, setOpen] = useState<SessionFile>();
  return (
    <div className="flex flex-col gap-3">
      <FolderRows sessionId={sessionId} path="/" narrow={narrow} onOpen={setOpen} />
      <UploadFiles sessionId={sessionId} />
      {open && (
        <FileDialog
          sessionId={sessionId}
          file={open}
          versions={versionsOf(open.path, entries)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </div>
  );
}

interface FolderRowsProps extends Omit<FileBrowserProps, "entries"> {
  path: string;
  onOpen: (file: SessionFile) => void;
}

function FolderRows({ sessionId, path, narrow, onOpen }: FolderRowsProps) {
  const listing = useRead(["files", sessionId, path], (signal) => api.files.list(sessionId, path, signal));
  return (
    <Loaded query={listing} what="Files" rows={2}>
      {({ entries }) =>
        entries.length === 0 ? (
          <p className="text-ink-faint">{path === "/" ? "No files yet." : "Empty."}</p>
        ) : (
          <ul className="flex flex-col">
            {entries.map((file) => (
              <li key={file.path}>
                {file.is_directory ? (
                  <FolderRow sessionId={sessionId} file={file} narrow={narrow ?? false} onOpen={onOpen} />
                ) : (
                  <FileRow file={file} narrow={narrow ?? false} onOpen={onOpen} />
                )}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

const ROW = "flex w-full items-center gap-2 rounded-lg px-2 py-1.5 text-left hover:bg-sunken";

function FolderRow({
  sessionId,
  file,
  narrow,
  onOpen,
}: Omit<FolderRowsProps, "path"> & { file: SessionFile }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)} className={ROW}>
        <ChevronRight className={cx("size-3.5 shrink-0 text-ink-faint", open && "rotate-90")} aria-hidden />
        <Folder className="size-4 shrink-0 text-accent-ink" aria-hidden />
        <span className="min-w-0 flex-1 truncate">{file.name}</span>
      </button>
      {open && (
        <div className="pl-5">
          <FolderRows sessionId={sessionId} path={file.path} narrow={narrow ?? false} onOpen={onOpen} />
        </div>
      )}
    </>
  );
}

interface FileRowProps {
  file: SessionFile;
  narrow: boolean;
  onOpen: (file: SessionFile) => void;
}

function FileRow({ file, narrow, onOpen }: FileRowProps) {
  return (
    <button type="button" onClick={() => onOpen(file)} className={ROW}>
      <span className="w-3.5" />
      <FileIcon className="size-4 shrink-0 text-ink-faint" aria-hidden />
      <span className="min-w-0 flex-1 truncate">{file.name}</span>
      {file.is_readonly && <Badge>read only</Badge>}
      {!narrow && <span className="numbers text-xs text-ink-faint">{bytes(file.size_bytes)}</span>}
    </button>
  );
}

function UploadFiles({ sessionId }: { sessionId: string }) {
  const input = useRef<HTMLInputElement>(null);
  const { change: upload, cancel } = useCancellableChange(
    async (files: File[], signal) => {
      for (const file of files) {
        const written = await api.files.write(sessionId, `/${safeName(file.name)}`, file, {}, signal);
        if (!written.ok) return written;
      }
      return { ok: true, value: undefined };
    },
    ["files"],
  );
  return (
    <div className="flex flex-col gap-2">
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Upload files"
        onChange={({ target }) => {
          upload.mutate([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <ActionButton
        size="sm"
        className="self-start"
        busy={upload.isPending}
        doing="Uploading…"
        onCancel={cancel}
        onClick={() => input.current?.click()}
      >
        <Upload className="size-3.5" aria-hidden />
        Upload
      </ActionButton>
      <ChangeFailure error={upload.error} />
    </div>
  );
}
