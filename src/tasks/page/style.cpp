// SPDX-License-Identifier: MIT
#include "tasks/page/parts.hpp"

namespace cisolve::page {

// Colours of lines are those of Okabe and Ito, which people see apart who do not see all colours, darkened on white and
// lightened on black to a contrast of 3 and more.
std::string_view style_rules() {
  return R"(
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #ffffff; --panel: #f5f7f9;
  --rule: #d0d7de; --grid: #e6eaee; --accent: #0b5cad; --bad: #a40e26; --bad-paper: #fff0f1; --warn: #7a4d00;
  --warn-paper: #fff7e0; --s1: #0072b2; --s2: #c04a00; --s3: #00805c; --s4: #a8458a; --s5: #8a6d00; --s6: #2b8cc4;
  --s7: #444b54; --s8: #9c2f2f; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #9aa5b1; --paper: #0f1318; --panel: #181e25; --rule: #38424d; --grid: #242c35;
    --accent: #6cb6ff; --bad: #ff9aa2; --bad-paper: #35151a; --warn: #f2cc60; --warn-paper: #2d2410; --s1: #56b4e9;
    --s2: #ff8f4d; --s3: #3ecf9f; --s4: #e78cc4; --s5: #f0e442; --s6: #a5d3f2; --s7: #c3ccd5; --s8: #ff9d9d; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); line-height: 1.5;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Liberation Sans", Arial, sans-serif; }
header, main, footer { max-width: 1120px; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0.1rem 0 0.2rem; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.8rem; padding-bottom: 0.25rem; border-bottom: 2px solid var(--rule); }
h3 { font-size: 1.02rem; margin: 1.4rem 0 0.5rem; }
p { margin: 0.5rem 0; max-width: 76ch; }
.program, .note, figcaption, footer { color: var(--soft); font-size: 0.9rem; }
.program { margin: 0; }
a { color: var(--accent); }
nav ul { list-style: none; margin: 1rem 0 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0.2rem 1rem; }
nav { font-size: 0.92rem; }
.alert { border: 1px solid; border-left-width: 6px; border-radius: 4px; padding: 0.4rem 1rem; margin: 1rem 0; }
.alert h2 { border: 0; margin: 0.3rem 0 0; padding: 0; font-size: 1.05rem; }
.alert ul { margin: 0.3rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.failure { color: var(--bad); background: var(--bad-paper); border-color: var(--bad); }
.warning { border-color: var(--warn); background: var(--warn-paper); }
.warning h2, .bad { color: var(--warn); }
.bad { font-weight: 600; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 25rem), 1fr)); gap: 0 2.5rem; margin: 1rem 0; }
.fields div { display: flex; gap: 0.8rem; padding: 0.28rem 0; border-bottom: 1px solid var(--grid); }
.fields dt { color: var(--soft); flex: 0 0 9.4rem; font-size: 0.92rem; }
.fields dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; margin: 0.7rem 0; max-width: 100%; }
.scroll:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.92rem; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.3rem; font-size: 0.9rem; }
th, td { padding: 0.22rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--grid); white-space: nowrap; }
td.wide { white-space: normal; }
thead th { border-bottom: 1.5px solid var(--rule); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; }
th:first-child, td:first-child { padding-left: 0.3rem; }
.number { text-align: right; }
code, pre, .occupation { font: 0.88rem/1.45 ui-monospace, "DejaVu Sans Mono", "Liberation Mono", Menlo, monospace; }
pre { background: var(--panel); border: 1px solid var(--rule); border-radius: 4px; padding: 0.7rem 0.9rem; margin: 0; width: max-content; min-width: 100%; }
details { margin: 0.7rem 0; }
summary { cursor: pointer; color: var(--accent); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 0.5rem 2rem; }
figure { margin: 0.6rem 0; min-width: 0; }
figure svg.plot { width: 100%; height: auto; display: block; max-width: 620px; }
figure.wide svg.plot { max-width: 800px; min-width: 470px; }
.numbers { white-space: normal; min-width: 17rem; max-width: 34rem; }
figcaption { max-width: 620px; margin-top: 0.2rem; }
svg text { fill: var(--ink); font-family: inherit; font-size: 12.5px; }
svg .small { font-size: 11px; }
svg .faint { fill: var(--soft); }
svg .axis { stroke: var(--soft); fill: none; stroke-width: 1; }
svg .grid { stroke: var(--grid); stroke-width: 1; }
svg .line { fill: none; stroke-width: 1.7; stroke-linejoin: round; }
svg .dashed { stroke-dasharray: 5 4; }
svg .mark { stroke-width: 1; }
svg .level { stroke-width: 2.4; }
svg .leader { stroke: var(--rule); stroke-width: 1; fill: none; }
svg .orbital { stroke: var(--soft); stroke-width: 1.4; }
svg .electron { stroke: var(--ink); fill: none; stroke-width: 1.6; }
svg .changed .orbital, svg .changed .electron { stroke: var(--s2); }
svg .changed text { fill: var(--s2); font-weight: 600; }
.s1 { stroke: var(--s1); fill: var(--s1); } .s2 { stroke: var(--s2); fill: var(--s2); }
.s3 { stroke: var(--s3); fill: var(--s3); } .s4 { stroke: var(--s4); fill: var(--s4); }
.s5 { stroke: var(--s5); fill: var(--s5); } .s6 { stroke: var(--s6); fill: var(--s6); }
.s7 { stroke: var(--s7); fill: var(--s7); } .s8 { stroke: var(--s8); fill: var(--s8); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 0.1rem 1.1rem; margin: 0.2rem 0; padding: 0; font-size: 0.88rem; }
.legend svg { vertical-align: -2px; margin-right: 0.35rem; }
.configurations { display: flex; flex-wrap: wrap; gap: 0.8rem; margin: 0.6rem 0; padding: 0; list-style: none; }
.configurations li { border: 1px solid var(--rule); border-radius: 6px; padding: 0.5rem 0.6rem; background: var(--panel); width: 11.6rem; font-size: 0.85rem; }
.configurations svg { display: block; margin: 0 auto 0.3rem; }
.configurations b { font-variant-numeric: tabular-nums; }
.configurations span { display: block; overflow-wrap: anywhere; }
footer { margin-top: 3rem; padding-top: 0.8rem; padding-bottom: 2rem; border-top: 1px solid var(--rule); }
@media (max-width: 480px) { h1 { font-size: 1.35rem; } .fields dt { flex-basis: 7rem; } .configurations li { width: calc(50% - 0.4rem); padding: 0.4rem; }
  body { font-size: 15px; } }
@media print { body { font-size: 10pt; } nav, summary { display: none; } .scroll { overflow: visible; } header, main, footer { max-width: none; padding: 0; }
  h2, h3 { break-after: avoid; } figure, .configurations li, tr, .alert { break-inside: avoid; } pre { white-space: pre-wrap; overflow-wrap: anywhere; width: auto; }
  table { font-size: 8.5pt; } th, td { padding: 0.15rem 0.4rem; } figure svg.plot { max-width: 12cm; } }
@media print and (prefers-color-scheme: dark) { :root { color-scheme: light; --ink: #000; --soft: #444; --paper: #fff; --panel: #fff; --rule: #bbb; --grid: #ddd; --accent: #000;
  --bad: #a40e26; --bad-paper: #fff; --warn: #7a4d00; --warn-paper: #fff; --s1: #0072b2; --s2: #c04a00; --s3: #00805c; --s4: #a8458a; --s5: #8a6d00; --s6: #2b8cc4; --s7: #444b54; --s8: #9c2f2f; } }
)";
}

}  // namespace cisolve::page
