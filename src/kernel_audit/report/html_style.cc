#include "kernel_audit/report/html_parts.h"

namespace kernel_audit::report {

const char* const kStyle = R"(:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #f3f5f7; --line: #ccd3da; --ok: #0b6b2e; --fail: #a4161a;
  --estimate: #6b4f00; --simulated: #0b5394; --compiled: #5b2a86; --executed: #0b6b2e; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ebee; --paper: #14171a; --soft: #1f2429; --line: #3b444d; --ok: #6fd08c; --fail: #ff8a80;
  --estimate: #e0c060; --simulated: #7db8f0; --compiled: #c9a2f0; --executed: #6fd08c; } }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); }
header, main { max-width: 76rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.2rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .25rem .5rem; }
.cards { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); }
.card, section { border: 1px solid var(--line); border-radius: .5rem; padding: .9rem; background: var(--paper); min-width: 0; }
section { margin-top: 1rem; }
.card ul { padding-left: 1.1rem; margin: .25rem 0; overflow-wrap: anywhere; }
.limit { font-size: .9rem; margin: .5rem 0 0; }
.tier { font-size: .85rem; font-weight: 600; border: 1px solid; border-radius: 1rem; padding: .05rem .6rem; white-space: nowrap; }
.estimate .tier { color: var(--estimate); } .simulated .tier { color: var(--simulated); }
.compiled .tier { color: var(--compiled); } .executed .tier { color: var(--executed); }
.estimate { border-left: .3rem solid var(--estimate); } .simulated { border-left: .3rem solid var(--simulated); }
.compiled { border-left: .3rem solid var(--compiled); } .executed { border-left: .3rem solid var(--executed); }
.ok { color: var(--ok); font-weight: 700; } .fail { color: var(--fail); font-weight: 700; }
.scroll { overflow-x: auto; max-width: 100%; margin: .5rem 0; }
.scroll:focus-visible, summary:focus-visible, a:focus-visible, svg [tabindex]:focus-visible { outline: 3px solid var(--simulated); outline-offset: 1px; }
table { border-collapse: collapse; font-size: .9rem; min-width: 100%; }
caption { text-align: left; font-weight: 600; padding: .25rem 0; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); padding: .25rem .6rem .25rem 0; }
thead th { white-space: nowrap; } tbody th { font-weight: 400; }
td ul { margin: .25rem 0; padding-left: 1.1rem; }
code, pre { font: .85rem/1.45 ui-monospace, monospace; overflow-wrap: anywhere; }
pre { background: var(--soft); padding: .6rem; overflow-x: auto; border-radius: .3rem; overflow-wrap: normal; }
.excerpt { margin: .2rem 0; padding: .2rem .4rem; }
.source .number { display: inline-block; width: 3.2em; color: var(--ink); opacity: .65; user-select: none; }
.figure { overflow-wrap: anywhere; }
details { margin: .5rem 0; } summary { cursor: pointer; padding: .2rem 0; }
figure { margin: .75rem 0; } figcaption { font-size: .9rem; } figcaption output { display: block; min-height: 1.5em; }
.picture svg { background: #fff; border-radius: .3rem; max-width: 100%; height: auto; min-width: 20rem; display: block; }
.picture rect[tabindex] { cursor: help; }
p.note { border-left: .2rem solid var(--line); padding-left: .6rem; }
@media print { :root { color-scheme: light; } body { font-size: 11px; } .skip { display: none; } section, .card { break-inside: avoid-page; } .scroll { overflow: visible; }
  figcaption output { display: none; } }
)";

// Native titles speak to a pointer alone: the same words for the keyboard and for readers, one stop a picture.
const char* const kScript = R"(for (const figure of document.querySelectorAll("figure.picture")) {
  const note = figure.querySelector("output");
  const parts = [...figure.querySelectorAll("rect")].filter((part) => part.querySelector("title"));
  const words = (part) => part.querySelector("title").textContent;
  parts.forEach((part, i) => {
    part.setAttribute("tabindex", i === 0 ? "0" : "-1");
    part.setAttribute("role", "img");
    part.setAttribute("aria-label", words(part));
    part.addEventListener("pointerenter", () => { note.textContent = words(part); });
    part.addEventListener("focus", () => { note.textContent = words(part); });
    part.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const next = step && parts[i + step];
      if (!next) return;
      event.preventDefault();
      part.setAttribute("tabindex", "-1");
      next.setAttribute("tabindex", "0");
      next.focus();
    });
  });
}
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("details")) part.open = true; });
)";

}  // namespace kernel_audit::report
