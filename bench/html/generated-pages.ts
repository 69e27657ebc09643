/** Large pages, generated deterministically: a manual, a table of measurements, a long thread and a page of little text. */

const WORDS =
  "tide harbour gate pump ferry quay berth pilot buoy anchor lantern chart sounding current ebb flood neap spring swell drift mooring hawser tackle keel rudder helm stern bow galley mast".split(
    " ",
  );

export function generatedPages(): Record<string, string> {
  return {
    "generated manual, 2 MB": grow("Manual", 2_000_000, manualSection),
    "generated table, 1 MB": `${head("Measurements")}<table><thead><tr>${"<th>gauge</th>".repeat(8)}</tr></thead><tbody>${until(1_000_000, tableRow)}</tbody></table></body></html>`,
    "generated thread, 1 MB": grow("Thread", 1_000_000, post),
    "generated app page, 1 MB": grow("App", 1_000_000, widget),
  };
}

let seed = 1;
function random(below: number): number {
  seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff;
  return seed % below;
}

const words = (count: number) => Array.from({ length: count }, () => WORDS[random(WORDS.length)]).join(" ");
const head = (title: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>.a{color:red}</style><script>var x=1;</script></head><body>`;
const grow = (title: string, bytes: number, piece: () => string) =>
  `${head(title)}${until(bytes, piece)}</body></html>`;

function until(bytes: number, piece: () => string): string {
  const pieces: string[] = [];
  for (let size = 0; size < bytes; size += pieces.at(-1)?.length ?? 1) pieces.push(piece());
  return pieces.join("\n");
}

function manualSection(): string {
  const paragraph = () =>
    `<p class="a b">${words(30)} <a href="https://example.com/${random(9_999)}">${words(3)}</a> ${words(20)} <strong>${words(2)}</strong> &amp; <em>${words(2)}</em> <code>${words(1)}()</code> ${words(15)}.</p>`;
  return `<h2 id="s${random(9_999)}">${words(5)}</h2>${paragraph()}${paragraph()}${paragraph()}
<ul><li>${words(8)}</li><li>${words(4)}<ul><li>${words(6)}</li></ul></li></ul>
<pre><code class="language-js">const ${words(1)} = ${random(99)};\nif (a &lt; 2) { run(a); }\n</code></pre>
<figure><img src="/i/${random(99)}.png" alt="${words(3)}"></figure><blockquote><p>${words(25)}</p></blockquote>`;
}

function tableRow(): string {
  const cells = Array.from({ length: 8 }, (_, column) =>
    column === 0 ? words(2) : `${random(9_999) / 100}`,
  );
  return `<tr>${cells.map((cell) => `<td class="num">${cell}</td>`).join("")}</tr>`;
}

function post(): string {
  return `<div class="post" id="p${random(99_999)}"><div class="author"><a href="/u/${random(999)}">${words(1)}</a></div><div class="body"><blockquote><p>${words(20)}</p><blockquote><p>${words(10)}</p></blockquote></blockquote><p>${words(40)}<br>${words(12)}</p><p>${words(9)}: <a href="https://example.org/${words(1)}?a=1&amp;b=2">${words(4)}</a></p></div></div>`;
}

function widget(): string {
  return `<div class="css-${random(99_999)} flex" data-testid="w"><div class="inner" style="color:#123"><a class="link link--${random(99)}" href="/items/${random(9_999)}" data-track="click:${random(9_999)}"><svg viewBox="0 0 24 24" aria-hidden="true"><path d="M12 2C6.48 2 2 6.48 2 12s4.48 10 10 10 10-4.48 10-10S17.52 2 12 2zm${random(99)} ${random(99)}z"/></svg><span class="label">${words(2)}</span></a></div><script>track(${random(999)})</script></div>`;
}
