/** One condition of a rule: an argument, what was read, who asks, how and when, or an expression. */
import Trash from "lucide-react/icons/trash-2";
import { IconButton } from "../../kit/button.tsx";
import { Choices } from "../../kit/choices.tsx";
import { Select, TextInput } from "../../kit/field.tsx";
import { CountFields } from "./limit-fields.tsx";
import {
  type ArgumentCondition,
  type Condition,
  type Operator,
  operatorsOf,
  PATHS,
  takesList,
  takesValue,
  textOfValue,
  typedValue,
  type ValueKind,
} from "./rule-draft.ts";
import { TimeFields } from "./time-fields.tsx";

type ListKind = "user" | "group" | "not_group" | "connection" | "scope";
type Kind = "arg" | "seen" | ListKind | "path" | "time" | "often" | "expr";

const KINDS: Readonly<Record<Kind, { label: string; fresh: Condition }>> = {
  arg: { label: "the argument", fresh: { arg: "", op: "is", value: "" } },
  seen: { label: "the conversation has read", fresh: { seen: "untrusted" } },
  user: { label: "the user is", fresh: { user: "" } },
  group: { label: "the user is in the group", fresh: { group: "" } },
  not_group: { label: "the user is not in the group", fresh: { not_group: "" } },
  connection: { label: "the tool uses an account at", fresh: { connection: "" } },
  scope: { label: "the tool needs the scope", fresh: { scope: "" } },
  path: { label: "the call arrives over", fresh: { path: "mcp" } },
  time: { label: "the time is", fresh: { time: { from: "18:00", to: "08:00" } } },
  often: {
    label: "it is more than",
    fresh: { often: { op: "above", calls: 5, per: "hour", each: "user" } },
  },
  expr: { label: "the expression holds", fresh: { expr: "" } },
};

const kindOf = (condition: Condition): Kind =>
  (Object.keys(KINDS) as Kind[]).find((kind) => kind in condition) ?? "expr";

interface ConditionRowProps {
  number: number;
  condition: Condition;
  /** Undefined where no tool with a schema is named: the argument is typed. */
  kinds: ReadonlyMap<string, ValueKind> | undefined;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}

export function ConditionRow({ number, condition, kinds, onChange, onRemove }: ConditionRowProps) {
  const name = `Condition ${number}`;
  return (
    <li className="flex flex-wrap items-center gap-2">
      <span className="w-10 text-sm text-ink-soft">{number === 1 ? "when" : "and"}</span>
      <Select
        aria-label={`${name}: about`}
        className="w-auto"
        value={kindOf(condition)}
        onChange={({ target }) => onChange(KINDS[target.value as Kind].fresh)}
      >
        {Object.entries(KINDS).map(([kind, { label }]) => (
          <option key={kind} value={kind}>
            {label}
          </option>
        ))}
      </Select>
      <Details name={name} condition={condition} kinds={kinds} onChange={onChange} />
      <IconButton label={`Remove ${name.toLowerCase()}`} onClick={onRemove}>
        <Trash className="size-4" aria-hidden />
      </IconButton>
    </li>
  );
}

type DetailsProps = Pick<ConditionRowProps, "condition" | "kinds" | "onChange"> & { name: string };

function Details({ name, condition, kinds, onChange }: DetailsProps) {
  if ("arg" in condition)
    return <Argument name={name} condition={condition} kinds={kinds} onChange={onChange} />;
  if ("seen" in condition)
    return (
      <Select
        aria-label={`${name}: data`}
        className="w-auto"
        value={condition.seen}
        onChange={({ target }) => onChange({ seen: target.value as "untrusted" | "private" })}
      >
        <option value="untrusted">untrusted content</option>
        <option value="private">private data</option>
      </Select>
    );
  if ("path" in condition)
    return (
      <Choices
        label={`${name}: way`}
        options={PATHS}
        chosen={[condition.path].flat()}
        onChange={(paths) => onChange({ path: paths })}
      />
    );
  if ("time" in condition) return <TimeFields name={name} time={condition.time} onChange={onChange} />;
  if ("often" in condition)
    return <CountFields name={name} count={condition.often} onChange={(often) => onChange({ often })} />;
  if ("expr" in condition)
    return (
      <TextInput
        aria-label={`${name}: expression`}
        className="min-w-48 flex-1"
        placeholder={'args.to.endsWith("@example.com")'}
        value={condition.expr}
        onChange={({ target: { value } }) => onChange({ expr: value })}
      />
    );
  return <Names name={name} condition={condition} onChange={onChange} />;
}

type ListCondition = Extract<Condition, Partial<Record<ListKind, unknown>>>;

const EXAMPLES: Readonly<Record<ListKind, string>> = {
  user: "ada@example.com, bob@example.com",
  group: "finance",
  not_group: "finance",
  connection: "google",
  scope: "Mail.Send",
};

function Names({
  name,
  condition,
  onChange,
}: {
  name: string;
  condition: ListCondition;
  onChange: (condition: Condition) => void;
}) {
  const [kind, value] = Object.entries(condition)[0] as [ListKind, string | string[]];
  return (
    <TextInput
      aria-label={`${name}: ${kind.replace("not_", "")}`}
      className="min-w-48 flex-1"
      placeholder={EXAMPLES[kind]}
      value={[value].flat().join(", ")}
      onChange={({ target }) => onChange({ [kind]: namesIn(target.value) } as Condition)}
    />
  );
}

function namesIn(text: string): string | string[] {
  const list = text.split(",").map((part) => part.trimStart());
  return list.length === 1 ? (list[0] ?? "") : list;
}

function Argument({
  name,
  condition,
  kinds,
  onChange,
}: Omit<DetailsProps, "condition"> & { condition: ArgumentCondition }) {
  const { arg, op, value } = condition;
  const kind = kinds?.get(arg) ?? (typeof value === "number" ? "number" : "text");
  const change = (next: Partial<ArgumentCondition>) => {
    const { value: kept, ...rest } = { ...condition, ...next };
    onChange(takesValue(rest.op) && kept !== undefined ? { ...rest, value: kept } : rest);
  };
  const choose = (chosen: string) => {
    const of = kinds?.get(chosen) ?? "text";
    const [first = "is"] = operatorsOf(of);
    change({ arg: chosen, op: first, value: of === "number" ? 0 : of === "toggle" ? true : "" });
  };
  return (
    <>
      {kinds ? (
        <Select
          aria-label={`${name}: argument`}
          className="w-auto"
          value={arg}
          onChange={({ target }) => choose(target.value)}
        >
          <option value="">choose…</option>
          {[...new Set([...kinds.keys(), ...(arg === "" ? [] : [arg])])].map((each) => (
            <option key={each}>{each}</option>
          ))}
        </Select>
      ) : (
        <TextInput
          aria-label={`${name}: argument`}
          className="w-32"
          value={arg}
          onChange={({ target }) => change({ arg: target.value })}
        />
      )}
      <Select
        aria-label={`${name}: operator`}
        className="w-auto"
        value={op}
        onChange={({ target }) => change({ op: target.value as Operator, value: value ?? "" })}
      >
        {[...new Set([...operatorsOf(kind), op])].map((each) => (
          <option key={each} value={each}>
            {each.replaceAll("_", " ")}
          </option>
        ))}
      </Select>
      {takesValue(op) && (
        <Value name={name} kind={kind} op={op} value={value} onChange={(next) => change({ value: next })} />
      )}
    </>
  );
}

interface ValueProps {
  name: string;
  kind: ValueKind;
  op: Operator;
  value: ArgumentCondition["value"];
  onChange: (value: ArgumentCondition["value"]) => void;
}

function Value({ name, kind, op, value, onChange }: ValueProps) {
  const label = `${name}: value`;
  if (kind === "toggle")
    return (
      <Select
        aria-label={label}
        className="w-auto"
        value={String(value)}
        onChange={({ target }) => onChange(target.value === "true")}
      >
        <option>true</option>
        <option>false</option>
      </Select>
    );
  return (
    <TextInput
      aria-label={label}
      className="min-w-32 flex-1"
      type={kind === "number" && !takesList(op) ? "number" : "text"}
      step="any"
      placeholder={takesList(op) ? "one, two, three" : ""}
      value={textOfValue(value)}
      onChange={({ target }) => onChange(typedValue(target.value, kind, op))}
    />
  );
}
