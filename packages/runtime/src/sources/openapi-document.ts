/**
 * Access to an OpenAPI document, and the one way to follow its references. Real documents violate the
 * standard in many small ways, so everything below the top is read with `isRecord` and never assumed to exist.
 */

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  value !== null && typeof value === "object" && !Array.isArray(value);

export const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const HOPS = 20; // a longer chain of references is a cycle

export class OpenApiDocument {
  readonly root: JsonRecord;

  constructor(root: JsonRecord) {
    this.root = root;
  }

  /** The resolved object: references are followed, within the document only. */
  resolve(value: unknown): JsonRecord | undefined {
    let at = value;
    for (let hop = 0; hop < HOPS && isRecord(at) && typeof at.$ref === "string"; hop += 1) {
      at = this.at(at.$ref);
    }
    return isRecord(at) && typeof at.$ref !== "string" ? at : undefined;
  }

  /** What a local reference such as `#/components/schemas/Pet` names. */
  at(reference: string): unknown {
    if (!reference.startsWith("#/")) return undefined;
    let at: unknown = this.root;
    for (const part of reference.slice(2).split("/")) {
      const key = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
      if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
      at = (at as JsonRecord)[key];
    }
    return at;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
