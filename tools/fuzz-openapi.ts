/** Random requests to every route of an OpenAPI document: half of them nearly valid, half of them anything. */
import fc from "fast-check";

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly { name: string; in: string }[];
  readonly hasBody: boolean;
  readonly properties: readonly string[];
}

// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document is walked by hand
type Document = any;

const METHODS = ["get", "post", "put", "patch", "delete"];

export function operationsOf(document: Document): Operation[] {
  return Object.entries<Document>(document.paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method]).map((method) => {
      const operation = operations[method];
      const schema = resolve(document, operation.requestBody?.content?.["application/json"]?.schema);
      return {
        method: method.toUpperCase(),
        path,
        parameters: operation.parameters ?? [],
        hasBody: operation.requestBody !== undefined,
        properties: Object.keys(schema?.properties ?? {}),
      };
    }),
  );
}

const resolve = (document: Document, schema: Document): Document =>
  typeof schema?.$ref === "string"
    ? document.components.schemas[schema.$ref.split("/").at(-1) ?? ""]
    : schema;

const HOSTILE = [
  "",
  "../..",
  "%00",
  "\u0000",
  "__proto__",
  "constructor",
  "null",
  "-1",
  "1e999",
  "0199c0de-0000-7000-8000-000000000000",
  "a".repeat(5000),
  "‮",
  "'; drop table agents; --",
];

const word = fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: "binary", maxLength: 20 }));
const anything = fc.anything({ maxDepth: 3, withBigInt: false, withDate: false });

/** A request for one of the operations. `known` are ids that exist, so that some requests get past the first look-up. */
export function requests(
  operations: readonly Operation[],
  known: readonly string[],
): fc.Arbitrary<{ method: string; url: string; body?: string }> {
  const value = fc.oneof(word, fc.constantFrom(...(known.length > 0 ? known : [""])));
  return fc.constantFrom(...operations).chain((operation) =>
    fc
      .record({ values: fc.array(value, { minLength: 8, maxLength: 8 }), body: bodyFor(operation) })
      .map(({ values, body }) => {
        let next = 0;
        const take = () => encodeURIComponent((values[next++ % values.length] ?? "").toWellFormed());
        const path = operation.path.replace(/\{[^}]+\}/g, take);
        const query = operation.parameters
          .filter((parameter) => parameter.in === "query")
          .map(({ name }) => `${encodeURIComponent(name)}=${take()}`);
        const url = `http://127.0.0.1${path}${query.length > 0 ? `?${query.join("&")}` : ""}`;
        return {
          method: operation.method,
          url,
          ...(body !== undefined && operation.method !== "GET" && { body }),
        };
      }),
  );
}

function bodyFor({ hasBody, properties }: Operation): fc.Arbitrary<string | undefined> {
  if (!hasBody) return fc.constant(undefined);
  const shaped = fc.dictionary(fc.constantFrom("name", ...properties), fc.oneof(word, anything), {
    maxKeys: 6,
  });
  return fc.oneof(
    { weight: 5, arbitrary: shaped.map((body) => JSON.stringify(body)) },
    { weight: 3, arbitrary: anything.map((body) => JSON.stringify(body) ?? "null") },
    { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  );
}
