import { Dialog } from "../kit/dialog.tsx";
import { SHORTCUTS } from "./shortcuts.ts";

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const groups = Map.groupBy(SHORTCUTS, ({ group }) => group);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="grid gap-5 sm:grid-cols-2">
        {[...groups].map(([group, shortcuts]) => (
          <section key={group} aria-label={group}>
            <h3 className="mb-2 text-xs font-semibold text-ink-soft">{group}</h3>
            <dl className="flex flex-col gap-1.5">
              {shortcuts.map(({ keys, label }) => (
                <div key={keys} className="flex items-center justify-between gap-3">
                  <dt>{label}</dt>
                  <dd className="shrink-0 whitespace-nowrap">
                    {keys.split(" ").map((key) => (
                      <kbd
                        key={key}
                        className="ml-1 rounded-md border border-line-strong/60 bg-sunken px-1.5 py-0.5 font-mono text-xs"
                      >
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
