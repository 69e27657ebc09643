import X from "lucide-react/icons/x";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { IconButton } from "./button.tsx";
import { cx } from "./cx.ts";

interface DialogProps {
  title: string;
  onClose: () => void;
  wide?: boolean;
  footer?: ReactNode;
  children: ReactNode;
}

/** What a dialog with a form was opened for. */
const FIRST_FIELD = "[data-body] :is(input:not([type=file], [type=hidden]), textarea, select)";

/** The browser's own modal: it traps and restores focus, and closes on Escape. */
export function Dialog({ title, onClose, wide = false, footer, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = box.current;
    dialog?.showModal(); // focuses the first control, which is Close
    dialog?.querySelector<HTMLElement>(FIRST_FIELD)?.focus();
    return () => dialog?.close();
  }, []);
  return (
    <dialog
      ref={box}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      className={cx(
        "max-h-[90dvh] w-[calc(100vw-2rem)] rounded-xl border border-line bg-surface p-0 text-ink shadow-float backdrop:bg-black/40",
        wide ? "max-w-3xl" : "max-w-lg",
      )}
    >
      <div className="flex max-h-[90dvh] flex-col">
        <header className="flex items-center justify-between gap-3 border-b border-line px-4 py-3">
          <h2 id={id} className="text-base font-semibold">
            {title}
          </h2>
          <IconButton label="Close" onClick={onClose}>
            <X className="size-4" aria-hidden />
          </IconButton>
        </header>
        <div data-body className="scroll-quiet min-h-0 flex-1 overflow-y-auto p-4">
          {children}
        </div>
        {footer && (
          <footer className="flex justify-end gap-2 border-t border-line px-4 py-3">{footer}</footer>
        )}
      </div>
    </dialog>
  );
}
