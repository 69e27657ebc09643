/** A zod schema whose plain objects refuse unknown fields, at every depth. Loose objects stay loose. */
import { z } from "zod";

export function closedObjects<S extends z.ZodType>(schema: S): S {
  return closed(schema, new Map()) as S;
}

type Any = z.core.$ZodType;

/** `done` preserves shared and recursive parts. */
function closed(schema: Any, done: Map<Any, Any>): Any {
  const known = done.get(schema);
  if (known) return known;
  done.set(schema, schema);
  const parts = changedParts(schema, done);
  // `parent` keeps descriptions: zod looks them up by schema.
  const made = parts ? z.core.clone(schema, { ...schema._zod.def, ...parts }, { parent: true }) : schema;
  done.set(schema, made);
  return made;
}

/** Only types that can contain an object; everything else is returned unchanged. */
function changedParts(schema: Any, done: Map<Any, Any>): object | undefined {
  const again = (part: Any) => closed(part, done);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "object":
      return {
        get shape() {
          return Object.fromEntries(Object.entries(def.shape).map(([name, part]) => [name, again(part)]));
        },
        catchall: def.catchall ?? z.never(),
      };
    case "array":
      return { element: again(def.element) };
    case "optional":
    case "nullable":
    case "default":
    case "prefault":
    case "nonoptional":
    case "readonly":
    case "catch":
      return { innerType: again(def.innerType) };
    case "union":
      return { options: def.options.map(again) };
    case "record":
      return { valueType: again(def.valueType) };
    case "tuple":
      return { items: def.items.map(again), rest: def.rest && again(def.rest) };
    case "pipe":
      return { in: again(def.in) };
    case "lazy":
      return { getter: () => again(def.getter()) };
    default:
      return undefined;
  }
}
