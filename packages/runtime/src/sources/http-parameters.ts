/** How arguments are serialized into a URL, a header or a form: the styles of OpenAPI 3, which our own documents use too. */

export type ParameterPlace = "path" | "query" | "header" | "cookie";
export type ParameterStyle =
  | "simple"
  | "label"
  | "matrix"
  | "form"
  | "spaceDelimited"
  | "pipeDelimited"
  | "deepObject";

export interface HttpParameter {
  /** Its name in the tool's input. */
  readonly argument: string;
  /** Its name in the request. */
  readonly name: string;
  readonly in: ParameterPlace;
  readonly style: ParameterStyle;
  readonly explode: boolean;
  /** Serialized as JSON, whatever the style. */
  readonly asJson?: boolean;
}

export type Pair = readonly [name: string, value: string];

export function defaultStyle(place: ParameterPlace): ParameterStyle {
  return place === "query" || place === "cookie" ? "form" : "simple";
}

/** For a path: already encoded. */
export function pathText(parameter: HttpParameter, value: unknown): string {
  const { name, style, explode } = parameter;
  const encode = (part: unknown) => encodeURIComponent(scalar(part));
  if (parameter.asJson) return encodeURIComponent(JSON.stringify(value));
  const prefix = style === "label" ? "." : style === "matrix" ? ";" : "";
  const separator = explode && prefix !== "" ? prefix : ",";
  if (!isComposite(value)) return `${prefix}${style === "matrix" ? `${name}=` : ""}${encode(value)}`;
  const entries = Object.entries(value);
  const pairs = Array.isArray(value)
    ? value.map((item) => (style === "matrix" && explode ? `${name}=${encode(item)}` : encode(item)))
    : entries.map(([key, item]) => `${encode(key)}${explode ? "=" : ","}${encode(item)}`);
  const named = style === "matrix" && !explode ? `${name}=` : "";
  return `${prefix}${named}${pairs.join(separator)}`;
}

/** For a header or a cookie: not encoded, joined by commas. */
export function headerText(parameter: HttpParameter, value: unknown): string {
  if (parameter.asJson) return JSON.stringify(value);
  if (!isComposite(value)) return scalar(value);
  if (Array.isArray(value)) return value.map(scalar).join(",");
  const joint = parameter.explode ? "=" : ",";
  return Object.entries(value)
    .map(([key, item]) => `${key}${joint}${scalar(item)}`)
    .join(",");
}

/** For a query or a form: pairs, not yet encoded. */
export function queryPairs(parameter: Omit<HttpParameter, "in" | "argument">, value: unknown): Pair[] {
  const { name, style, explode } = parameter;
  if (parameter.asJson) return [[name, JSON.stringify(value)]];
  if (!isComposite(value)) return [[name, scalar(value)]];
  if (style === "deepObject") return deepPairs(name, value);
  const entries = Object.entries(value);
  if (explode && style === "form") {
    return Array.isArray(value)
      ? value.map((item): Pair => [name, scalar(item)])
      : entries.map(([key, item]): Pair => [key, scalar(item)]);
  }
  const separator = { spaceDelimited: " ", pipeDelimited: "|" }[style as string] ?? ",";
  const parts = Array.isArray(value) ? value : entries.flat();
  return [[name, parts.map(scalar).join(separator)]];
}

function deepPairs(name: string, value: object): Pair[] {
  return Object.entries(value).flatMap(([key, item]): Pair[] => {
    const inner = `${name}[${key}]`;
    return isComposite(item) ? deepPairs(inner, item) : [[inner, scalar(item)]];
  });
}

const isComposite = (value: unknown): value is object => value !== null && typeof value === "object";

function scalar(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
