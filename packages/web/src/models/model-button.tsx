/** Shows the current model, as a button that changes it. The picker is loaded when opened. */
import ChevronDown from "lucide-react/icons/chevron-down";
import { lazy, Suspense, useState } from "react";
import { Badge } from "../kit/badge.tsx";
import { Button } from "../kit/button.tsx";
import { useStatus } from "../server/use-status.ts";

const ModelPicker = lazy(() =>
  import("./model-picker.tsx").then(({ ModelPicker }) => ({ default: ModelPicker })),
);

interface ModelButtonProps {
  /** Undefined: the default answers. */
  model: string | undefined;
  /** What naming none means here: "Default model" or "The agent's model". */
  inherit: string;
  /** Shown where naming none means that there is none, such as "Add a model". */
  empty?: string;
  onChoose: (model: string | undefined) => void;
  className?: string;
  open?: boolean;
  onOpenChange?: (open: boolean) => void;
}

export function ModelButton(props: ModelButtonProps) {
  const { model, inherit, empty, onChoose, className, open, onOpenChange } = props;
  const [ownOpen, setOwnOpen] = useState(false);
  const isOpen = open ?? ownOpen;
  const setOpen = onOpenChange ?? setOwnOpen;
  const status = useStatus().data;
  const shown = model ?? empty ?? status?.model.name ?? "";
  const demo = shown === "capstan/offline";
  return (
    <>
      <Button
        size="sm"
        look="quiet"
        {...(className && { className })}
        title={`Model: ${shown}`}
        onClick={() => setOpen(true)}
      >
        <span className="truncate">
          <span className="sr-only">Model: {shown.slice(0, shown.indexOf("/") + 1)}</span>
          {shown.slice(shown.indexOf("/") + 1)}
        </span>
        {demo && <Badge tone="warn">demo</Badge>}
        <ChevronDown className="size-3.5 shrink-0" aria-hidden />
      </Button>
      {isOpen && (
        <Suspense>
          <ModelPicker
            current={model}
            inherit={`${inherit}${status && empty === undefined ? ` (${status.model.name})` : ""}`}
            onChoose={(name) => {
              onChoose(name);
              setOpen(false);
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
