/**
 * An example value from a schema, as a starting point for a request: required fields, defaults, the first of several
 * shapes.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, unknown>>;

const DEEPEST = 6; // a schema may name itself

export function exampleOf(schema: unknown, schemas: Schemas, depth = 0): unknown {
  const {
    $ref,
    default: usual,
    const: fixed,
    enum: choices,
    anyOf,
    oneOf,
    allOf,
    ...own
  } = (schema ?? {}) as Schema;
  if (depth > DEEPEST) return null;
  if ($ref !== undefined) return exampleOf(schemas[$ref.split("/").at(-1) ?? ""], schemas, depth + 1);
  const given = usual ?? fixed ?? choices?.[0];
  if (given !== undefined) return given;
  const [first] = anyOf ?? oneOf ?? [];
  if (first) return exampleOf(first, schemas, depth + 1);
  if (allOf) return Object.assign({}, ...allOf.map((part) => exampleOf(part, schemas, depth + 1)));
  return byType(own, schemas, depth);
}

const FORMATS: Readonly<Record<string, string>> = {
  email: "you@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
  "date-time": "2026-01-01T00:00:00Z",
};

function byType(schema: Schema, schemas: Schemas, depth: number): unknown {
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  if (type === "array") return [];
  if (type === "integer" || type === "number") return 0;
  if (type === "boolean") return false;
  if (type === "object" || schema.properties)
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, exampleOf(schema.properties?.[name], schemas, depth + 1)]),
    );
  return type === "string" ? (FORMATS[schema.format ?? ""] ?? "") : null;
}
