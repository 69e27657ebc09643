/**
 * A JSON Schema as form fields. What has no field (unions of shapes, free objects, deep recursion)
 * is edited as JSON, so that every schema can be filled in.
 */
export type Json = { [key: string]: unknown };

export type FieldKind =
  | { readonly kind: "text"; readonly multiline: boolean }
  | { readonly kind: "number"; readonly integer: boolean; readonly min?: number; readonly max?: number }
  | { readonly kind: "choice"; readonly options: readonly unknown[] }
  | { readonly kind: "toggle" }
  | { readonly kind: "list"; readonly item: FieldKind }
  | { readonly kind: "group"; readonly fields: readonly SchemaField[] }
  | { readonly kind: "json" };

export interface SchemaField {
  readonly name: string;
  readonly hint?: string;
  readonly required: boolean;
  readonly fallback?: unknown;
  readonly kind: FieldKind;
}

const DEEPEST = 4; // a form deeper than that is harder to read than its JSON
const LONG_TEXT = /content|text|body|prompt|code|script|markdown|description|message/i;

/** Undefined when the schema is not one of an object with named properties. */
export function fieldsOf(schema: Json, root: Json = schema, depth = 0): SchemaField[] | undefined {
  const { properties, required } = resolved(schema, root);
  if (!isObject(properties)) return undefined;
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, raw]) => {
    const property = resolved(isObject(raw) ? raw : {}, root);
    return {
      name,
      required: needed.includes(name),
      ...(typeof property.description === "string" && { hint: property.description }),
      ...(property.default !== undefined && { fallback: property.default }),
      kind: kindOf(name, property, root, depth),
    };
  });
}

function kindOf(name: string, schema: Json, root: Json, depth: number): FieldKind {
  const choice = choiceOf(schema);
  if (choice) return choice;
  switch (typeOf(schema)) {
    case "string":
      return { kind: "text", multiline: LONG_TEXT.test(name) && schema.format === undefined };
    case "number":
    case "integer":
      return numberKind(schema);
    case "boolean":
      return { kind: "toggle" };
    case "array":
      return listKind(name, schema, root, depth);
    case "object":
      return groupKind(schema, root, depth);
    default:
      return { kind: "json" };
  }
}

function choiceOf({ enum: options, const: only, anyOf, oneOf }: Json): FieldKind | undefined {
  if (Array.isArray(options)) return { kind: "choice", options };
  if (only !== undefined) return { kind: "choice", options: [only] };
  const variants = anyOf ?? oneOf;
  if (!Array.isArray(variants) || variants.length === 0) return undefined;
  const constants = variants.flatMap((each) =>
    isObject(each) && each.const !== undefined ? [each.const] : [],
  );
  return constants.length === variants.length ? { kind: "choice", options: constants } : undefined;
}

/** `["string", "null"]` and `anyOf: [string, null]` are a string that may be absent. */
function typeOf({ type, anyOf }: Json): unknown {
  if (typeof type === "string") return type;
  const types = Array.isArray(type)
    ? type
    : Array.isArray(anyOf)
      ? anyOf.map((each) => isObject(each) && each.type)
      : [];
  const real = types.filter((each) => each !== "null");
  return real.length === 1 ? real[0] : undefined;
}

function numberKind(schema: Json): FieldKind {
  const { type, minimum, maximum } = schema;
  return {
    kind: "number",
    integer: type === "integer",
    ...(typeof minimum === "number" && { min: minimum }),
    ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER && { max: maximum }),
  };
}

function listKind(name: string, schema: Json, root: Json, depth: number): FieldKind {
  if (!isObject(schema.items) || depth >= DEEPEST) return { kind: "json" };
  const item = kindOf(name, resolved(schema.items, root), root, depth + 1);
  return item.kind === "json" ? item : { kind: "list", item };
}

function groupKind(schema: Json, root: Json, depth: number): FieldKind {
  const fields = depth >= DEEPEST ? undefined : fieldsOf(schema, root, depth + 1);
  return fields && fields.length > 0 ? { kind: "group", fields } : { kind: "json" };
}

/** Follows local references; a cycle ends there. */
function resolved(schema: Json, root: Json): Json {
  const seen = new Set<string>();
  let at = schema;
  while (typeof at.$ref === "string") {
    const { $ref, ...beside } = at as Json & { $ref: string };
    const target = seen.has($ref) ? undefined : valueAt(root, $ref);
    seen.add($ref);
    at = isObject(target) ? { ...target, ...beside } : beside;
  }
  return at;
}

const valueAt = (root: Json, pointer: string): unknown =>
  pointer
    .replace(/^#/, "")
    .split("/")
    .slice(1)
    .reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), root);

export const isObject = (value: unknown): value is Json =>
  value !== null && typeof value === "object" && !Array.isArray(value);

/** Initial value of a new list row or an empty form. */
export function blank(kind: FieldKind): unknown {
  if (kind.kind === "group") return blankGroup(kind.fields);
  if (kind.kind === "choice") return kind.options[0];
  if (kind.kind === "toggle") return false;
  if (kind.kind === "list") return [];
  return kind.kind === "text" ? "" : undefined;
}

export function blankGroup(fields: readonly SchemaField[]): Json {
  const entries = fields.flatMap(({ name, required, fallback, kind }) => {
    const value = fallback ?? (required ? blank(kind) : undefined);
    return value === undefined ? [] : [[name, structuredClone(value)] as const];
  });
  return Object.fromEntries(entries);
}

/** The form's value to send: empty optional fields are left out. */
export function filled(fields: readonly SchemaField[], value: Json): Json {
  const known = new Map(fields.map((field) => [field.name, field]));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, given]) => {
      const field = known.get(name);
      if (given === undefined || (given === "" && !field?.required)) return [];
      if (field?.kind.kind === "group" && isObject(given)) {
        const inner = filled(field.kind.fields, given);
        return Object.keys(inner).length === 0 && !field.required ? [] : [[name, inner]];
      }
      return [[name, given]];
    }),
  );
}
