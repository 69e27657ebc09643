/** The API as one readable page: every route by tag, its parameters, body and responses. No scripts, no external resources. */

interface Described {
  readonly info: { readonly title: string; readonly version: string; readonly description?: string };
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components?: { readonly schemas?: Record<string, unknown> };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly "x-capstan-right"?: string;
  readonly parameters?: readonly {
    name: string;
    in: string;
    required?: boolean;
    description?: string;
    schema?: unknown;
  }[];
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

export function docsPage(document: Described): string {
  const routes = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]): Route => ({ ...operation, method, path })),
  );
  const tags = [...new Set(routes.map(({ tags }) => tags?.[0] ?? "other"))].sort();
  const sections = tags.map((tag) =>
    section(
      tag,
      routes.filter((route) => (route.tags?.[0] ?? "other") === tag),
    ),
  );
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="schema-${escaped(name)}"><summary><code>${escaped(name)}</code></summary>${block(schema)}</details>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(document.info.title)} API</title><style>${STYLE}</style></head><body>
<h1>${escaped(document.info.title)} API <small>${escaped(document.info.version)}</small></h1>
<p>${escaped(document.info.description ?? "")} Machine-readable: <a href="/openapi.json">/openapi.json</a>.</p>
<nav>${tags.map((tag) => `<a href="#${escaped(tag)}">${escaped(tag)}</a>`).join(" ")} <a href="#schemas">schemas</a></nav>
${sections.join("\n")}<h2 id="schemas">Schemas</h2>${schemas.join("\n")}</body></html>`;
}

const section = (tag: string, routes: readonly Route[]): string =>
  `<h2 id="${escaped(tag)}">${escaped(tag)}</h2>${routes.map(article).join("\n")}`;

function article(route: Route): string {
  const right = route["x-capstan-right"];
  const body = Object.entries(route.requestBody?.content ?? {}).map(
    ([type, { schema }]) => `<h4>Body <code>${escaped(type)}</code></h4>${block(schema)}`,
  );
  const answers = Object.entries(route.responses ?? {}).map(
    ([status, { description, content }]) =>
      `<h4>${escaped(status)}</h4><p>${escaped(description ?? "")}</p>${Object.values(content ?? {})
        .map(({ schema }) => block(schema))
        .join("")}`,
  );
  return `<details><summary><b>${route.method.toUpperCase()}</b> <code>${escaped(route.path)}</code> ${escaped(route.summary ?? "")}${
    right ? ` <i>${escaped(right)}</i>` : ""
  }</summary>${parameters(route)}${body.join("")}${answers.join("")}</details>`;
}

function parameters({ parameters = [] }: Route): string {
  if (parameters.length === 0) return "";
  const rows = parameters.map(
    ({ name, in: where, required, description, schema }) =>
      `<tr><td><code>${escaped(name)}</code></td><td>${escaped(where)}${required ? ", required" : ""}</td><td>${escaped(description ?? "")} <code>${escaped(JSON.stringify(schema ?? {}))}</code></td></tr>`,
  );
  return `<table>${rows.join("")}</table>`;
}

const block = (schema: unknown): string =>
  schema === undefined ? "" : `<pre>${escaped(JSON.stringify(schema, null, 2))}</pre>`;

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text: string): string => text.replace(/[&<>"]/g, (found) => ESCAPES[found] ?? found);

const STYLE = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
nav a{margin-right:.75rem}details{border:1px solid #8884;border-radius:6px;padding:.4rem .75rem;margin:.4rem 0}
summary{cursor:pointer}pre{overflow:auto;background:#8881;padding:.75rem;border-radius:6px;font-size:13px}
table{border-collapse:collapse}td{padding:.2rem .6rem .2rem 0;vertical-align:top}small,i{color:#888}h2{margin-top:2rem}`;
