/** The agent's capabilities in their order: drag a handle, or focus it, press space and use the arrow keys. */
import type { AgentPreview } from "@capstan/client";
import {
  closestCenter,
  DndContext,
  type DragEndEvent,
  KeyboardSensor,
  PointerSensor,
  useSensor,
  useSensors,
} from "@dnd-kit/core";
import { SortableContext, sortableKeyboardCoordinates, verticalListSortingStrategy } from "@dnd-kit/sortable";
import { Panel } from "../../kit/panel.tsx";
import { count } from "../../kit/words.ts";
import { useCapabilities } from "../../server/reads.ts";
import { type DraftCapability, type Flagged, moved } from "./agent-draft.ts";
import type { DraftProps } from "./basic-fields.tsx";
import { CapabilityRow } from "./capability-row.tsx";

interface OrderedCapabilitiesProps extends DraftProps {
  /** Those the server refuses as they are: their options open by themselves. */
  flagged: Flagged;
  preview: AgentPreview | undefined;
}

export function OrderedCapabilities({ draft, flagged, preview, onChange }: OrderedCapabilitiesProps) {
  const { capabilities } = draft;
  const known = useCapabilities().data?.items ?? [];
  const sensors = useSensors(
    useSensor(PointerSensor, { activationConstraint: { distance: 4 } }),
    useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }),
  );
  const nameOf = (id: string | number) => known.find((each) => each.id === id)?.name ?? String(id);
  const drop = ({ active, over }: DragEndEvent) => {
    if (!over || active.id === over.id) return;
    const place = (id: unknown) => capabilities.findIndex((each) => each.id === id);
    onChange({ capabilities: moved(capabilities, place(active.id), place(over.id)) });
  };
  const replace = (index: number, next: DraftCapability | undefined) =>
    onChange({ capabilities: next ? capabilities.with(index, next) : capabilities.toSpliced(index, 1) });
  return (
    <Panel title={`In this agent: ${count(capabilities.length, "capability", "capabilities")}`} flush>
      {capabilities.length === 0 ? (
        <p className="px-4 py-6 text-center text-ink-soft">None yet. Add some below.</p>
      ) : (
        <DndContext
          sensors={sensors}
          collisionDetection={closestCenter}
          onDragEnd={drop}
          accessibility={{ announcements: announcements(nameOf) }}
        >
          <SortableContext items={capabilities} strategy={verticalListSortingStrategy}>
            <ol className="divide-y divide-line" aria-label="Order of capabilities">
              {capabilities.map((entry, index) => (
                <CapabilityRow
                  key={entry.id}
                  entry={entry}
                  summary={known.find(({ id }) => id === entry.id)}
                  tokens={preview?.capabilities.find(({ id }) => id === entry.id)?.tokens.total}
                  fault={flagged.ids.includes(entry.id) ? flagged.fault : undefined}
                  onChange={(next) => replace(index, next)}
                />
              ))}
            </ol>
          </SortableContext>
        </DndContext>
      )}
    </Panel>
  );
}

type Over = { id: string | number } | null;

const announcements = (nameOf: (id: string | number) => string) => ({
  onDragStart: ({ active }: { active: { id: string | number } }) => `Picked up ${nameOf(active.id)}.`,
  onDragOver: ({ active, over }: { active: { id: string | number }; over: Over }) =>
    over && over.id !== active.id
      ? `${nameOf(active.id)} is now at the position of ${nameOf(over.id)}.`
      : undefined,
  onDragEnd: ({ active, over }: { active: { id: string | number }; over: Over }) =>
    over
      ? `${nameOf(active.id)} was moved to the position of ${nameOf(over.id)}.`
      : `${nameOf(active.id)} was moved back.`,
  onDragCancel: ({ active }: { active: { id: string | number } }) => `${nameOf(active.id)} was moved back.`,
});
