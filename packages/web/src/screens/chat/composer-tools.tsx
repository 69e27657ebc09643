/** What the agent's capabilities document declares, as controls: uploads by kind, reasoning, sub-agents. */
import AudioLines from "lucide-react/icons/audio-lines";
import Brain from "lucide-react/icons/brain";
import FileText from "lucide-react/icons/file-text";
import ImageIcon from "lucide-react/icons/image";
import Paperclip from "lucide-react/icons/paperclip";
import Video from "lucide-react/icons/video";
import { type ComponentType, useRef } from "react";
import { Button, IconButton } from "../../kit/button.tsx";
import { cx } from "../../kit/cx.ts";
import { Select } from "../../kit/field.tsx";
import { type Abilities, ACCEPTS, type UploadKind } from "./abilities.ts";

interface ComposerToolsProps {
  abilities: Abilities;
  reasoning: boolean;
  onReasoning: (on: boolean) => void;
  subAgent: string;
  onSubAgent: (name: string) => void;
  onFiles: (files: File[]) => void;
}

export function ComposerTools(props: ComposerToolsProps) {
  const { abilities, reasoning, onReasoning, subAgent, onSubAgent, onFiles } = props;
  return (
    <>
      {abilities.uploads.map((kind) => (
        <UploadButton key={kind} kind={kind} onFiles={onFiles} />
      ))}
      {abilities.reasoning && (
        <Button
          size="sm"
          look="quiet"
          aria-pressed={reasoning}
          className={cx(reasoning && "bg-thought-soft text-thought!")}
          onClick={() => onReasoning(!reasoning)}
        >
          <Brain className="size-4" aria-hidden />
          Reasoning
        </Button>
      )}
      {abilities.subAgents.length > 0 && (
        <Select
          aria-label="Who answers"
          className="h-7! w-auto! text-xs"
          value={subAgent}
          onChange={({ target }) => onSubAgent(target.value)}
        >
          <option value="">This agent</option>
          {abilities.subAgents.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </>
  );
}

const KINDS: Record<UploadKind, { label: string; icon: ComponentType<{ className?: string }> }> = {
  image: { label: "Add an image", icon: ImageIcon },
  audio: { label: "Add a recording", icon: AudioLines },
  video: { label: "Add a video", icon: Video },
  pdf: { label: "Add a PDF", icon: FileText },
  file: { label: "Add a file", icon: Paperclip },
};

function UploadButton({ kind, onFiles }: { kind: UploadKind; onFiles: (files: File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const { label, icon: Icon } = KINDS[kind];
  return (
    <>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTS[kind]}
        aria-label={label}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <IconButton label={label} onClick={() => input.current?.click()}>
        <Icon className="size-4" aria-hidden />
      </IconButton>
    </>
  );
}
