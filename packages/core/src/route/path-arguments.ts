/**
 * Assigns the paths of a task to parameters. Paths after "into", "to" or "as" are outputs; the others are inputs,
 * in order. A path parameter gets a path from the text or nothing, never the sentence.
 */
import type { JsonValue } from "../schema.ts";
import { isOutput, kindOf } from "./parameter-kind.ts";
import type { ParameterSchema } from "./parameters.ts";
import type { FoundValue } from "./task-values.ts";

/** In the languages that tasks are read in: "als", "como", "comme", "sous". */
const TARGET =
  /(?<!\p{L})(?:into|to|as|in|called|named|als|nach|unter|zu|namens|como|en|a|al|hacia|comme|sous|vers|dans|à|em|para|no|na)\s+(?:(?:the|a|der|die|das|dem|den|el|la|le|o)\s+)?(?:(?:file|folder|archive|directory|datei|ordner|archiv|archivo|carpeta|fichero|fichier|dossier|arquivo|pasta)\s+)?["'`]?$/iu;

export interface PathArgument {
  readonly value: JsonValue;
  readonly used: readonly FoundValue[];
}

export function pathArguments(
  task: string,
  parameters: readonly ParameterSchema[],
  values: readonly FoundValue[],
): Map<string, PathArgument> {
  const taking = parameters.filter((parameter) => kindOf(parameter) === "path" && takesText(parameter));
  const outputs = taking.filter(isOutput);
  const inputs = taking.filter((parameter) => !isOutput(parameter));
  const paths = values.filter(isPath);
  // The only path of a task is its subject, whatever precedes it: "write hello to /notes.txt".
  const targets = paths.filter(
    (path, at) => outputs.length > 0 && at > 0 && TARGET.test(task.slice(0, path.at)),
  );
  const sources = paths.filter((path) => !targets.includes(path));
  const found = new Map<string, PathArgument>();
  const give = (parameter: ParameterSchema, taken: readonly FoundValue[]) => {
    const [value] = taken.map(({ text }) => text);
    if (value !== undefined)
      found.set(parameter.name, {
        value: isList(parameter) ? taken.map(({ text }) => text) : value,
        used: taken,
      });
  };
  for (const parameter of [...inputs.filter(isRequired), ...inputs.filter((each) => !isRequired(each))])
    give(parameter, sources.splice(0, isList(parameter) ? sources.length : 1));
  for (const parameter of outputs) {
    const mayRead = inputs.length === 0 || parameter.required;
    give(parameter, targets.length > 0 ? targets.splice(0, 1) : mayRead ? sources.splice(0, 1) : []);
  }
  return found;
}

const isRequired = ({ required }: ParameterSchema): boolean => required;
const isList = ({ schema }: ParameterSchema): boolean => schema.type === "array";
const takesText = ({ schema }: ParameterSchema): boolean =>
  schema.enum === undefined &&
  (schema.type === "string" || schema.type === "array" || schema.type === undefined);

const QUOTED_PATH = /^(?:[./~]|[\w -]+[/.])[\w ./@~-]*\w$/;

/** A path, or a quoted one because it contains a space. */
const isPath = ({ kind, text }: FoundValue): boolean =>
  kind === "path" || (kind === "quoted" && QUOTED_PATH.test(text) && /\.\w{1,8}$|\//.test(text));
