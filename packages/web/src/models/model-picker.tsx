/** Searchable model picker: recently used first, then by provider, each with price and features. */
import type { ModelChoice } from "@capstan/client";
import { Command } from "cmdk";
import Check from "lucide-react/icons/check";
import { useState } from "react";
import { Link } from "wouter";
import { Badge } from "../kit/badge.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Loaded } from "../kit/states.tsx";
import { amount } from "../kit/words.ts";
import { recentModels, rememberModel } from "./recent-models.ts";
import { useModelChoices } from "./use-model-choices.ts";

interface ModelPickerProps {
  title?: string;
  /** `provider/model`; undefined: the default. */
  current: string | undefined;
  /** Offers to name none, with what that means here. */
  inherit?: string | undefined;
  /** Only these, in this order. */
  only?: readonly string[] | undefined;
  onChoose: (model: string | undefined) => void;
  onClose: () => void;
}

export function ModelPicker(props: ModelPickerProps) {
  const { title = "Choose a model", onClose } = props;
  const choices = useModelChoices();
  return (
    <Dialog title={title} onClose={onClose}>
      <Loaded query={choices} what="Models" rows={6}>
        {({ items }) => <Choices {...props} items={items} />}
      </Loaded>
      <p className="mt-3 text-xs text-ink-faint">
        Not here?{" "}
        <Link href="/settings/models" className="text-accent-ink underline" onClick={onClose}>
          Add a provider
        </Link>
      </p>
    </Dialog>
  );
}

function Choices({
  items,
  only,
  current,
  inherit,
  onChoose,
}: ModelPickerProps & { items: readonly ModelChoice[] }) {
  const [text, setText] = useState("");
  const shown = only ? only.map((name) => items.find((each) => each.name === name) ?? bare(name)) : items;
  const recent = recentModels().flatMap((name) => shown.filter((each) => each.name === name));
  const groups = Map.groupBy(shown, ({ provider_label }) => provider_label);
  const isNew = /^[\w.-]+\/.+$/.test(text.trim()) && !shown.some(({ name }) => name === text.trim());
  const choose = (name: string) => {
    rememberModel(name);
    onChoose(name);
  };
  return (
    <Command label="Models" className="flex flex-col gap-2" loop>
      <Command.Input
        autoFocus
        value={text}
        onValueChange={setText}
        placeholder="Search models"
        className="h-9 w-full rounded-lg border border-line-strong/60 bg-surface px-3 text-sm"
      />
      <Command.List className="scroll-quiet max-h-[50dvh] overflow-y-auto [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:py-1.5 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-ink-soft">
        <Command.Empty className="p-3 text-ink-soft">No matches.</Command.Empty>
        {inherit !== undefined && (
          <Row value="default" selected={current === undefined} onSelect={() => onChoose(undefined)}>
            <span className="font-medium">{inherit}</span>
          </Row>
        )}
        {recent.length > 0 && text === "" && (
          <Command.Group heading="Recent">
            {recent.map((choice) => (
              <ModelRow
                key={choice.name}
                choice={choice}
                prefix="recent "
                current={current}
                onChoose={choose}
              />
            ))}
          </Command.Group>
        )}
        {[...groups].map(([label, models]) => (
          <Command.Group key={label} heading={label}>
            {models.map((choice) => (
              <ModelRow key={choice.name} choice={choice} current={current} onChoose={choose} />
            ))}
          </Command.Group>
        ))}
        {isNew && (
          <Row value={`use ${text}`} selected={false} onSelect={() => choose(text.trim())}>
            Use “{text.trim()}”
          </Row>
        )}
      </Command.List>
    </Command>
  );
}

interface ModelRowProps {
  choice: ModelChoice;
  /** Keeps the same model in two groups apart. */
  prefix?: string;
  current: string | undefined;
  onChoose: (name: string) => void;
}

function ModelRow({ choice, prefix = "", current, onChoose }: ModelRowProps) {
  const { name, label, context_window, input_price, output_price, tools, images, thinking, local, demo } =
    choice;
  const facts = [
    context_window !== null && `${amount(context_window)} context`,
    input_price !== null && output_price !== null && `$${input_price} in, $${output_price} out per 1M`,
  ].filter(Boolean);
  return (
    <Row value={`${prefix}${name} ${label}`} selected={current === name} onSelect={() => onChoose(name)}>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="font-medium">{label}</span>
          {demo && <Badge tone="warn">demo</Badge>}
          {local && !demo && <Badge tone="good">this machine</Badge>}
          {tools === false && <Badge tone="warn">no tools</Badge>}
          {images && <Badge>images</Badge>}
          {thinking && <Badge tone="thought">thinking</Badge>}
        </span>
        <span className="block text-xs text-ink-faint">{[name, ...facts].join(" · ")}</span>
      </span>
    </Row>
  );
}

interface RowProps {
  value: string;
  selected: boolean;
  onSelect: () => void;
  children: React.ReactNode;
}

const Row = ({ value, selected, onSelect, children }: RowProps) => (
  <Command.Item
    value={value}
    onSelect={onSelect}
    className="flex cursor-pointer items-center gap-2 rounded-lg px-2 py-1.5 data-[selected=true]:bg-sunken"
  >
    <Check className={selected ? "size-4 text-accent" : "invisible size-4"} aria-hidden />
    {children}
  </Command.Item>
);

/** A model that a provider listed, without further details. */
const bare = (name: string): ModelChoice => ({
  name,
  label: name.slice(name.indexOf("/") + 1),
  provider: name.split("/", 1)[0] ?? name,
  provider_label: "Models",
  context_window: null,
  input_price: null,
  output_price: null,
  tools: null,
  images: null,
  thinking: null,
  local: false,
  demo: false,
});
