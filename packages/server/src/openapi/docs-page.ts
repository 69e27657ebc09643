/** The API as one page: every route by tag, to search, read and try. It loads nothing from other hosts. */
import { exampleOf, type Schemas } from "./docs-example.ts";
import { DOCS_STYLE } from "./docs-style.ts";

interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components?: { readonly schemas?: Record<string, unknown> };
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: { readonly description?: string; readonly default?: unknown };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly "x-capstan-right"?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { content?: Record<string, { schema?: unknown }> };
  readonly responses?: Record<
    string,
    { description?: string; content?: Record<string, { schema?: unknown }> }
  >;
}

interface Route extends Operation {
  readonly method: string;
  readonly path: string;
}

export const DOCS_SCRIPT_PATH = "/docs/try.js";

export function docsPage(document: Described): string {
  const schemas = document.components?.schemas ?? {};
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const byTag = Map.groupBy(routes, ({ tags }) => tags?.[0] ?? "other");
  const tags = [...byTag.keys()].sort();
  const { title, version, description = "" } = document.info;
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)} API</title><link rel="icon" href="/capstan.svg"><style>${DOCS_STYLE}</style>
<script type="module" src="${DOCS_SCRIPT_PATH}"></script></head><body>
<aside><a class="brand" href="/">${escaped(title)}</a>
<label class="hidden" for="search">Search the API</label><input id="search" type="search" placeholder="Search (press /)" autocomplete="off">
<nav aria-label="Parts of the API">${tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)} <small>${byTag.get(tag)?.length}</small></a>`).join("")}<a href="#schemas">schemas</a></nav></aside>
<main><header><h1>${escaped(title)} API <small>${escaped(version)}</small></h1>
<p>${escaped(description)}</p><p>Machine-readable: <a href="/openapi.json">/openapi.json</a>.</p>
<p class="key"><label for="key">API key</label> <input id="key" type="password" autocomplete="off" placeholder="Not needed on this machine"></p></header>
<p id="none" role="status" hidden>No route matches.</p>
${tags.map((tag) => section(tag, byTag.get(tag) ?? [], schemas)).join("\n")}
<section><h2 id="schemas">Schemas</h2>${Object.entries(schemas).map(schemaDetails).join("\n")}</section></main></body></html>`;
}

const section = (tag: string, routes: readonly Route[], schemas: Schemas): string =>
  `<section><h2 id="${escaped(tag)}">${escaped(tag)}</h2>${routes.map((route) => article(route, schemas)).join("\n")}</section>`;

const schemaDetails = ([name, schema]: [string, unknown]): string =>
  `<details id="schema-${escaped(name)}" data-search="${escaped(name.toLowerCase())}"><summary><code>${escaped(name)}</code></summary>${block(schema)}</details>`;

function article(route: Route, schemas: Schemas): string {
  const { method, path, summary = "", operationId = "" } = route;
  const right = route["x-capstan-right"];
  const found = [method, path, summary, operationId, ...(route.tags ?? [])].join(" ").toLowerCase();
  return `<details class="route" id="${escaped(operationId)}" data-search="${escaped(found)}">
<summary><b class="${method}">${method.toUpperCase()}</b> <code>${escaped(path)}</code> <span>${marked(summary)}</span>${
    right ? ` <i title="The right a key needs">${escaped(right)}</i>` : ""
  }</summary>
${route.description ? `<p>${marked(route.description)}</p>` : ""}${tryForm(route, schemas)}${bodies(route)}${answers(route)}</details>`;
}

function bodies({ requestBody }: Route): string {
  return Object.entries(requestBody?.content ?? {})
    .map(([type, { schema }]) => `<h3>Body <code>${escaped(type)}</code></h3>${block(schema)}`)
    .join("");
}

const answers = ({ responses = {} }: Route): string =>
  `<h3>Answers</h3>${Object.entries(responses)
    .map(
      ([status, { description = "", content = {} }]) =>
        `<details><summary><code>${escaped(status)}</code> ${marked(description)}</summary>${Object.entries(
          content,
        )
          .map(([type, { schema }]) => `<p><code>${escaped(type)}</code></p>${block(schema)}`)
          .join("")}</details>`,
    )
    .join("")}`;

/** A form that makes the request; the script sends it. Without a script it is the list of parameters. */
function tryForm(route: Route, schemas: Schemas): string {
  const { method, path, parameters = [], requestBody } = route;
  const fields = parameters.filter(({ in: where }) => where === "path" || where === "query");
  const [body] = Object.entries(requestBody?.content ?? {});
  return `<form class="try" data-method="${method.toUpperCase()}" data-path="${escaped(path)}"${body ? ` data-type="${escaped(body[0])}"` : ""}>
${fields.map((parameter) => field(route, parameter)).join("")}${body ? bodyField(route, body, schemas) : ""}
<p><button type="submit">Send</button> <button type="button" data-curl>Copy as curl</button> <output></output></p><pre class="answer" hidden tabindex="0"></pre></form>`;
}

function field(route: Route, { name, in: where, required, description, schema }: Parameter): string {
  const id = `${route.operationId}-${name}`;
  const about = description ?? schema?.description ?? "";
  return `<p class="field"><label for="${escaped(id)}"><code>${escaped(name)}</code>${required ? " <em>required</em>" : ""}</label>
<input id="${escaped(id)}" name="${escaped(name)}" data-in="${where}"${required ? " required" : ""} placeholder="${escaped(schema?.default === undefined ? where : `${where}, ${String(schema.default)} when empty`)}">
${about ? `<small>${marked(about)}</small>` : ""}</p>`;
}

function bodyField(
  route: Route,
  [type, { schema }]: [string, { schema?: unknown }],
  schemas: Schemas,
): string {
  const id = `${route.operationId}-body`;
  const example = type.includes("json") ? JSON.stringify(exampleOf(schema, schemas), null, 2) : "";
  return `<p class="field"><label for="${escaped(id)}">Body <code>${escaped(type)}</code></label>
<textarea id="${escaped(id)}" data-in="body" rows="${Math.min(12, example.split("\n").length + 1)}" spellcheck="false">${escaped(example)}</textarea></p>`;
}

const block = (schema: unknown): string =>
  schema === undefined ? "" : `<pre tabindex="0">${escaped(JSON.stringify(schema, null, 2))}</pre>`;

/** Prose of the document: code between backticks, nothing else of Markdown. */
const marked = (text: string): string => escaped(text).replace(/`([^`]+)`/g, "<code>$1</code>");

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (found) => ESCAPES[found] ?? found);
