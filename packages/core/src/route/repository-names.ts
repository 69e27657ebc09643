/** "acme/webshop" or the address of a repository for two parameters, such as `owner` and `repo`. */
import type { ParameterSchema } from "./parameters.ts";
import type { FoundValue } from "./task-values.ts";

const OWNER =
  /^(?:owner|org|organi[sz]ation|user|user_?name|account|workspace|namespace|group)(?:_?(?:name|login|slug))?$/i;
const REPOSITORY = /^(?:repo|repository|project)(?:_?(?:name|slug))?$/i;
const ADDRESS =
  /https?:\/\/(?:www\.)?(?:github|gitlab|bitbucket|codeberg)\.\w+\/([\w.-]+)\/([\w.-]+?)(?:\.git)?(?=[/\s?#,;!]|\.?$)/i;
const PAIR = /(?<![\w./@:-])([a-z\d][\w.-]*)\/([a-z\d][\w.-]*[\w])(?![\w/])/gi;
const PATH_BEFORE =
  /(?<!\p{L})(?:file|path|folder|directory|branch|datei|archivo|fichier|arquivo|rama|branche|zweig)\s+$/iu;

export interface RepositoryName {
  readonly owner: { readonly parameter: string; readonly value: string };
  readonly repository: { readonly parameter: string; readonly value: string };
  readonly found: FoundValue;
}

/** Nothing unless the schema has both parameters: `acme/webshop` as one value is for others. */
export function repositoryIn(
  task: string,
  parameters: readonly ParameterSchema[],
  values: readonly FoundValue[],
): RepositoryName | undefined {
  const owner = parameters.find(({ name }) => OWNER.test(name))?.name;
  const repository = parameters.find(({ name }) => REPOSITORY.test(name))?.name;
  if (owner === undefined || repository === undefined) return undefined;
  const match = ADDRESS.exec(task) ?? pairIn(task, values);
  const [whole, first, second] = match ?? [];
  if (!match || whole === undefined || first === undefined || second === undefined) return undefined;
  return {
    owner: { parameter: owner, value: first },
    repository: { parameter: repository, value: second },
    found: { kind: "quoted", text: whole, at: match.index, end: match.index + whole.length },
  };
}

/** Not what is said to be a file or a branch, nor a part of a quoted text or an address. */
const pairIn = (task: string, values: readonly FoundValue[]): RegExpExecArray | undefined =>
  [...task.matchAll(PAIR)]
    .filter(
      ({ index }) =>
        !PATH_BEFORE.test(task.slice(0, index)) &&
        !values.some(
          ({ kind, at, end }) =>
            (kind === "quoted" || kind === "url" || kind === "path") && at <= index && index < end,
        ),
    )
    .at(-1) as RegExpExecArray | undefined;
