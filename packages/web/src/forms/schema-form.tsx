/** A form built from a JSON Schema: one field per property, groups and lists inside, JSON where nothing else fits. */
import Plus from "lucide-react/icons/plus";
import Trash2 from "lucide-react/icons/trash-2";
import { Button, IconButton } from "../kit/button.tsx";
import { Field, Select, TextArea, TextInput, Toggle } from "../kit/field.tsx";
import { words } from "../kit/words.ts";
import { JsonInput } from "./json-input.tsx";
import { blank, type FieldKind, fieldsOf, isObject, type Json, type SchemaField } from "./schema-fields.ts";

const FEWEST_ROWS = 3;
const MOST_ROWS = 14; // with the buttons still in view on a small screen

interface SchemaFormProps {
  schema: Json;
  value: Json;
  onChange: (value: Json) => void;
}

export function SchemaForm({ schema, value, onChange }: SchemaFormProps) {
  const fields = fieldsOf(schema);
  if (!fields)
    return (
      <JsonInput label="Value" value={value} onChange={(next) => onChange(isObject(next) ? next : {})} />
    );
  if (fields.length === 0) return <p className="text-ink-soft">No arguments.</p>;
  return <Fields fields={fields} value={value} onChange={onChange} />;
}

interface FieldsProps {
  fields: readonly SchemaField[];
  value: Json;
  onChange: (value: Json) => void;
}

function Fields({ fields, value, onChange }: FieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          value={value[field.name]}
          onChange={(next) => onChange({ ...value, [field.name]: next })}
        />
      ))}
    </div>
  );
}

interface OneFieldProps {
  field: SchemaField;
  value: unknown;
  onChange: (value: unknown) => void;
}

function OneField({ field, value, onChange }: OneFieldProps) {
  const { name, hint, required, kind } = field;
  const label = words(name);
  if (kind.kind === "toggle")
    return (
      <div>
        <Toggle label={label} checked={value === true} onChange={onChange} />
        {hint && <p className="mt-1 text-xs text-ink-faint">{hint}</p>}
      </div>
    );
  if (kind.kind === "group")
    return (
      <Group label={label} hint={hint}>
        <Fields fields={kind.fields} value={isObject(value) ? value : {}} onChange={onChange} />
      </Group>
    );
  if (kind.kind === "list")
    return (
      <Group label={label} hint={hint}>
        <List label={label} item={kind.item} value={Array.isArray(value) ? value : []} onChange={onChange} />
      </Group>
    );
  if (kind.kind === "json")
    return <JsonInput label={label} hint={hint} required={required} value={value} onChange={onChange} />;
  return (
    <Field label={label} hint={hint} required={required}>
      {(control) => (
        <Scalar control={control} kind={kind} required={required} value={value} onChange={onChange} />
      )}
    </Field>
  );
}

interface ScalarProps {
  control: { id: string };
  kind: Extract<FieldKind, { kind: "text" | "number" | "choice" }>;
  required: boolean;
  value: unknown;
  onChange: (value: unknown) => void;
}

function Scalar({ control, kind, required, value, onChange }: ScalarProps) {
  if (kind.kind === "choice")
    return (
      <Select
        {...control}
        value={value === undefined ? "" : JSON.stringify(value)}
        onChange={({ target }) => onChange(target.value === "" ? undefined : JSON.parse(target.value))}
      >
        {(!required || value === undefined) && <option value="">Not set</option>}
        {kind.options.map((option) => (
          <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
            {String(option)}
          </option>
        ))}
      </Select>
    );
  if (kind.kind === "number")
    return (
      <TextInput
        {...control}
        type="number"
        step={kind.integer ? 1 : "any"}
        min={kind.min}
        max={kind.max}
        value={typeof value === "number" ? value : ""}
        onChange={({ target }) => onChange(target.value === "" ? undefined : target.valueAsNumber)}
      />
    );
  return <TextValue control={control} multiline={kind.multiline} value={value} onChange={onChange} />;
}

function TextValue({
  control,
  multiline,
  value,
  onChange,
}: Pick<ScalarProps, "control" | "value" | "onChange"> & { multiline: boolean }) {
  const text = typeof value === "string" ? value : "";
  const lines = text.split("\n").length;
  if (!multiline && lines === 1)
    return <TextInput {...control} value={text} onChange={({ target }) => onChange(target.value)} />;
  return (
    <TextArea
      {...control}
      rows={Math.min(Math.max(lines, FEWEST_ROWS), MOST_ROWS)}
      className={lines > 1 ? "font-mono text-[13px]" : undefined}
      value={text}
      onChange={({ target }) => onChange(target.value)}
    />
  );
}

function Group({
  label,
  hint,
  children,
}: {
  label: string;
  hint: string | undefined;
  children: React.ReactNode;
}) {
  return (
    <fieldset className="min-w-0 rounded-lg border border-line p-3">
      <legend className="px-1 text-sm font-medium">{label}</legend>
      {hint && <p className="mb-3 text-xs text-ink-faint">{hint}</p>}
      {children}
    </fieldset>
  );
}

interface ListProps {
  label: string;
  item: FieldKind;
  value: readonly unknown[];
  onChange: (value: unknown[]) => void;
}

function List({ label, item, value, onChange }: ListProps) {
  return (
    <div className="flex flex-col gap-2">
      {value.map((each, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
        <div key={index} className="flex items-start gap-2">
          <div className="min-w-0 flex-1">
            <OneField
              field={{ name: `${label} ${index + 1}`, required: true, kind: item }}
              value={each}
              onChange={(next) => onChange(value.with(index, next))}
            />
          </div>
          <IconButton
            label={`Remove ${label} ${index + 1}`}
            onClick={() => onChange(value.toSpliced(index, 1))}
          >
            <Trash2 className="size-4" aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button size="sm" className="self-start" onClick={() => onChange([...value, blank(item)])}>
        <Plus className="size-3.5" aria-hidden />
        Add
      </Button>
    </div>
  );
}
