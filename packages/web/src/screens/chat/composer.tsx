import ArrowUp from "lucide-react/icons/arrow-up";
import Square from "lucide-react/icons/square";
import X from "lucide-react/icons/x";
import { type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { Badge } from "../../kit/badge.tsx";
import { IconButton } from "../../kit/button.tsx";
import type { Abilities } from "./abilities.ts";
import { ComposerTools } from "./composer-tools.tsx";
import type { Outgoing } from "./send-message.ts";
import { useDraft } from "./use-draft.ts";

interface ComposerProps {
  /** Which model answers, and the way to another. */
  model?: ReactNode;
  abilities: Abilities;
  /** The message is being handed over. */
  busy: boolean;
  placeholder: string;
  /** The draft is stored under this name, across reloads and navigation. */
  draftOf: string;
  /** Set while a run is active: stops it. A message sent meanwhile is queued. */
  onStop?: (() => void) | undefined;
  onSend: (outgoing: Outgoing) => Promise<void>;
}

/**
 * The input. Enter sends, Shift+Enter adds a line. A message that could not be sent is put back. Text typed while one is
 * being sent is kept; if Enter was pressed, it is sent next.
 */
export function Composer({ model, abilities, busy, placeholder, draftOf, onStop, onSend }: ComposerProps) {
  const [reasoning, setReasoning] = useState(false);
  const [subAgent, setSubAgent] = useState("");
  const input = useRef<HTMLTextAreaElement>(null);
  useFocusWherePointing(input);
  const { text, setText, files, setFiles, ready, send } = useOutgoing({
    draftOf,
    busy,
    input,
    handOver: ({ text, files }) => {
      const said = subAgent === "" ? text : `Ask ${subAgent}: ${text}`;
      return onSend({ text: said, files, ...(reasoning && { reasoning: "medium" as const }) });
    },
  });
  const attach = (added: readonly File[]) => {
    if (added.length > 0) setFiles([...files, ...added]);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is one of three ways; the buttons are for everybody
    <div
      className="shrink-0 px-3 pb-3 md:px-6 md:pb-5"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        attach([...event.dataTransfer.files]);
      }}
    >
      <div className="mx-auto flex max-w-3xl flex-col gap-2 rounded-2xl border border-line-strong/60 bg-surface p-2 shadow-raised focus-within:border-accent">
        <Attached files={files} onRemove={(index) => setFiles(files.toSpliced(index, 1))} />
        <textarea
          ref={input}
          rows={1}
          aria-label="Message"
          placeholder={placeholder}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={keys}
          onPaste={(event) => {
            const pasted = [...event.clipboardData.files];
            if (pasted.length === 0) return;
            event.preventDefault();
            attach(pasted);
          }}
          className="scroll-quiet field-sizing-content max-h-52 min-h-9 w-full resize-none bg-transparent px-2 py-1.5 text-base outline-none"
        />
        <div className="flex items-center gap-1">
          <ComposerTools
            abilities={abilities}
            reasoning={reasoning}
            onReasoning={setReasoning}
            subAgent={subAgent}
            onSubAgent={setSubAgent}
            onFiles={attach}
          />
          <span className="flex-1" />
          {model}
          {onStop && (
            <IconButton label="Stop" size="md" look="secondary" onClick={onStop}>
              <Square className="size-4 fill-current" aria-hidden />
            </IconButton>
          )}
          <IconButton
            label={busy ? "Sending…" : onStop ? "Queue message" : "Send"}
            size="md"
            look="primary"
            disabled={!ready}
            onClick={() => void send()}
          >
            <ArrowUp className="size-4" aria-hidden />
          </IconButton>
        </div>
      </div>
    </div>
  );
}

interface OutgoingOptions extends Pick<ComposerProps, "draftOf" | "busy"> {
  input: RefObject<HTMLTextAreaElement | null>;
  handOver: (outgoing: Outgoing) => Promise<void>;
}

/** The text and the files that are being written, and sending them. */
function useOutgoing({ draftOf, busy, input, handOver }: OutgoingOptions) {
  const [text, setText] = useDraft(draftOf);
  const [files, setFiles] = useState<File[]>([]);
  const isNext = useRef(false);
  const ready = (text.trim() !== "" || files.length > 0) && !busy;
  const send = async () => {
    isNext.current = busy;
    if (!ready) return;
    setText("");
    setFiles([]);
    input.current?.focus();
    try {
      await handOver({ text: text.trim(), files });
    } catch {
      // The room shows why. Text queued to be sent next is kept too.
      isNext.current = false;
      setText([text, input.current?.value ?? ""].filter((part) => part !== "").join("\n"));
      setFiles((added) => [...files, ...added]);
    }
  };
  useEffect(() => {
    if (busy || !isNext.current) return;
    isNext.current = false;
    void send();
  });
  return { text, setText, files, setFiles, ready, send };
}

/** The input is focused, except on touch screens, where a keyboard would pop up. */
function useFocusWherePointing(input: RefObject<HTMLTextAreaElement | null>): void {
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) input.current?.focus({ preventScroll: true });
  }, [input]);
}

function Attached({ files, onRemove }: { files: readonly File[]; onRemove: (index: number) => void }) {
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-1.5 px-1" aria-label="Attached">
      {files.map((file, index) => (
        <li key={`${file.name} ${file.lastModified}`}>
          <Badge tone="accent">
            {file.name}
            <button
              type="button"
              aria-label={`Remove ${file.name}`}
              onClick={() => onRemove(index)}
              className="rounded-sm"
            >
              <X className="size-3" aria-hidden />
            </button>
          </Badge>
        </li>
      ))}
    </ul>
  );
}
