/**
 * The script of /docs: search and sending forms. Plain JavaScript, sent to the browser as it is. The page is built
 * from this server's own document, and responses are only shown as text.
 */
export const DOCS_SCRIPT = `
const KEY = "capstan.key"; // the studio's place for it
const key = document.getElementById("key");
key.value = sessionStorage.getItem(KEY) ?? "";
key.addEventListener("input", () => key.value ? sessionStorage.setItem(KEY, key.value) : sessionStorage.removeItem(KEY));

const search = document.getElementById("search");
const rows = [...document.querySelectorAll("[data-search]")];
search.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  for (const row of rows) row.hidden = !words.every((word) => row.dataset.search.includes(word));
  for (const section of document.querySelectorAll("section"))
    section.hidden = section.querySelectorAll("[data-search]:not([hidden])").length === 0;
  document.getElementById("none").hidden = rows.some((row) => !row.hidden);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || /INPUT|TEXTAREA/.test(event.target.tagName)) return;
  event.preventDefault();
  search.focus();
});
const openNamed = () => {
  const named = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named?.tagName === "DETAILS") named.open = true;
};
addEventListener("hashchange", openNamed);
openNamed();

function requestOf(form) {
  let path = form.dataset.path;
  const query = new URLSearchParams();
  let body;
  for (const input of form.querySelectorAll("[data-in]")) {
    if (input.dataset.in === "body") body = input.value;
    else if (input.dataset.in === "query") input.value !== "" && query.set(input.name, input.value);
    else path = path.replace(new RegExp("\\\\{" + input.name + "[^}]*\\\\}"), encodeURIComponent(input.value));
  }
  const headers = {};
  if (key.value) headers.authorization = "Bearer " + key.value;
  if (body !== undefined && body.trim() !== "") headers["content-type"] = form.dataset.type;
  else body = undefined;
  const asked = query.size > 0 ? path + "?" + query : path;
  return { url: asked, init: { method: form.dataset.method, headers, ...(body !== undefined && { body }) } };
}

const quoted = (text) => "'" + text.replaceAll("'", "'\\\\''") + "'";
function curlOf({ url, init }) {
  const headers = Object.entries(init.headers).map(([name, value]) => " -H " + quoted(name + ": " + value));
  return "curl -X " + init.method + " " + quoted(location.origin + url) + headers.join("") + (init.body === undefined ? "" : " -d " + quoted(init.body));
}

async function send(form) {
  const { url, init } = requestOf(form);
  const output = form.querySelector("output");
  const shown = form.querySelector(".answer");
  const button = form.querySelector("[type=submit]");
  const stop = new AbortController();
  button.textContent = "Cancel";
  form.stop = () => stop.abort();
  output.className = "";
  output.textContent = "Sending…";
  const started = performance.now();
  try {
    const response = await fetch(url, { ...init, signal: stop.signal });
    output.className = response.ok ? "ok" : "bad";
    const took = () => Math.round(performance.now() - started) + " ms";
    output.textContent = response.status + " " + response.statusText + ", " + took();
    shown.hidden = false;
    shown.textContent = "";
    const isJson = (response.headers.get("content-type") ?? "").includes("json");
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let piece = await reader?.read(); piece && !piece.done; piece = await reader.read())
      if (shown.textContent.length < 500000) shown.textContent += piece.value; // a stream may continue for ever
    if (isJson && shown.textContent) shown.textContent = JSON.stringify(JSON.parse(shown.textContent), null, 2);
    output.textContent = response.status + " " + response.statusText + ", " + took();
  } catch (error) {
    output.className = "bad";
    output.textContent = stop.signal.aborted ? "Cancelled." : String(error.message);
  } finally {
    button.textContent = "Send";
    form.stop = undefined;
  }
}

for (const form of document.querySelectorAll("form.try")) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (form.stop) form.stop();
    else send(form);
  });
  form.querySelector("[data-curl]").addEventListener("click", async (event) => {
    await navigator.clipboard.writeText(curlOf(requestOf(form)));
    event.target.textContent = "Copied";
    setTimeout(() => { event.target.textContent = "Copy as curl"; }, 1500);
  });
}
`;
