/** The styles of /docs: the studio's colours, light and dark. */
export const DOCS_STYLE = `
:root{color-scheme:light dark;--canvas:light-dark(#f6f6f3,#0f1214);--surface:light-dark(#fff,#171b1e);--sunken:light-dark(#efefeb,#0b0e10);
--line:light-dark(#e3e3dd,#282e33);--ink:light-dark(#1b1e21,#e9edef);--soft:light-dark(#484e55,#b6bec5);--accent:light-dark(#0b5c6b,#6cc5d5);
--on:light-dark(#fff,#05242a);--good:light-dark(#19653a,#82d19d);--warn:light-dark(#7d4b00,#e8b968);--bad:light-dark(#a8231b,#f49a93)}
*{box-sizing:border-box}body{margin:0;font:15px/1.5 "Inter Variable",system-ui,sans-serif;background:var(--canvas);color:var(--ink);overflow-wrap:anywhere}
a{color:var(--accent)}code,pre,textarea,input{font-family:ui-monospace,Menlo,Consolas,monospace;font-size:13px}
aside{position:fixed;inset:0 auto 0 0;width:15rem;padding:1rem;border-right:1px solid var(--line);background:var(--surface);overflow-y:auto;display:flex;flex-direction:column;gap:.75rem}
.brand{font-weight:600;text-decoration:none;color:var(--ink);font-size:1.1rem}aside nav{display:flex;flex-direction:column}
aside nav a{padding:.2rem .5rem;border-radius:6px;text-decoration:none;color:var(--soft)}aside nav a:hover{background:var(--sunken)}
main{margin-left:15rem;padding:1.5rem clamp(1rem,4vw,3rem);max-width:70rem}h1{margin:0;font-size:1.6rem}h2{margin:2rem 0 .5rem;text-transform:capitalize;font-size:1.15rem}
h3{font-size:.85rem;margin:1rem 0 .25rem;color:var(--soft)}small,i,em{color:var(--soft);font-style:normal;font-weight:400}em{color:var(--bad);font-size:.8rem}
details{border:1px solid var(--line);border-radius:8px;background:var(--surface);padding:.45rem .75rem;margin:.35rem 0}details details{background:var(--canvas)}
summary{cursor:pointer}summary span{color:var(--soft);margin-left:.25rem}summary i{float:right;font-size:.8rem;border:1px solid var(--line);border-radius:6px;padding:0 .4rem}
summary b{display:inline-block;min-width:4rem;font-size:.75rem}.get{color:var(--accent)}.post,.put,.patch{color:var(--warn)}.delete{color:var(--bad)}
pre{overflow:auto;max-height:24rem;background:var(--sunken);padding:.75rem;border-radius:8px;margin:.35rem 0}
input,textarea{width:100%;padding:.4rem .6rem;border:1px solid #8d8f8a;border-radius:8px;background:var(--canvas);color:var(--ink)}
button{font:inherit;font-size:.85rem;padding:.35rem .8rem;border:1px solid var(--line);border-radius:8px;background:var(--surface);color:var(--ink);cursor:pointer}
button[type=submit]{background:var(--accent);color:var(--on);border-color:transparent}.field{margin:.5rem 0}.key{max-width:24rem}output{margin-left:.5rem}
output.ok{color:var(--good)}output.bad{color:var(--bad)}.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}[hidden]{display:none}
:focus-visible{outline:2px solid var(--accent);outline-offset:1px}
@media(max-width:50rem){aside{position:static;width:auto;border:0;border-bottom:1px solid var(--line)}aside nav{flex-flow:wrap}main{margin:0}}`;
