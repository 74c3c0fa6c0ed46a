#include "report/sections.h"

namespace knead::report {

std::string style() {
  return R"(
:root { color-scheme: light dark; --page: #f6f5f2; --card: #fff; --text: #1c1d21; --quiet: #63666f; --line: #e3e1db; --accent: #b4541a;
  --bad: #b3261e; --bad-card: #fdecea; --warn: #8a5a00; --warn-card: #fdf3dc; --good: #1c7a4b;
  --c0: #2b6cb0; --c1: #d9730d; --c2: #2f8f5b; --c3: #b83280; --c4: #6b56c4; --c5: #a3832a; --c6: #1793a5; --c7: #8a8f98; }
@media screen and (prefers-color-scheme: dark) { :root { --page: #131417; --card: #1d1f24; --text: #e9e8e4; --quiet: #9da1ab;
  --line: #32353c; --accent: #f0955a; --bad: #ff8a80; --bad-card: #3a1f1e; --warn: #f4c46a; --warn-card: #352b17; --good: #6fd09c;
  --c0: #6cb0f5; --c1: #ffa552; --c2: #6fd09c; --c3: #f28cc4; --c4: #a99bff; --c5: #e0c060; --c6: #5fd3e4; --c7: #a2a7b0; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 28px 20px 48px; }
header h1 { margin: 0; font-size: clamp(1.5rem, 5vw, 2.2rem); line-height: 1.2; overflow-wrap: anywhere; }
header p { margin: 6px 0 0; color: var(--quiet); }
header code { overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 0 0 12px; }
h3 { font-size: 1rem; margin: 0; overflow-wrap: anywhere; }
section { margin-top: 28px; }
code, pre { font: 0.86rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
.quiet { color: var(--quiet); font-size: 0.88rem; margin: 4px 0 0; overflow-wrap: anywhere; }
.status { display: inline-block; vertical-align: middle; margin-left: 10px; padding: 2px 10px; border-radius: 99px; font-size: 0.8rem;
  font-weight: 600; letter-spacing: 0.02em; border: 1.5px solid currentColor; color: var(--warn); }
.status.finished { color: var(--good); }
.status.failed { color: var(--bad); }
.movie video, .strip img { display: block; width: 100%; border-radius: 10px; background: #000; }
.strip { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(300px, 100%), 1fr)); gap: 12px; }
.strip figure { padding: 0; border: 0; background: none; }
.strip figcaption { font-weight: 400; color: var(--quiet); font-size: 0.82rem; margin: 4px 2px 0; }
.notes { list-style: none; padding: 0; margin: 20px 0 0; display: grid; gap: 8px; }
.notes li { padding: 10px 14px; border-radius: 8px; background: var(--warn-card); color: var(--text); border-left: 4px solid var(--warn);
  overflow-wrap: anywhere; }
.notes li.error { background: var(--bad-card); border-color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(140px, 1fr)); gap: 10px; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
.tiles b { display: block; font-size: 1.2rem; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--quiet); font-size: 0.84rem; overflow-wrap: anywhere; }
.plots { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(440px, 100%), 1fr)); gap: 14px; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; break-inside: avoid; }
figcaption { font-weight: 600; font-size: 0.95rem; margin-bottom: 4px; overflow-wrap: anywhere; }
figcaption span { font-weight: 400; color: var(--quiet); }
svg { display: block; width: 100%; height: auto; }
svg text { fill: var(--quiet); font-size: 12px; font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--line); } svg .axis, svg .tick { stroke: var(--quiet); }
svg .curve { fill: none; stroke-width: 1.8; stroke-linejoin: round; vector-effect: non-scaling-stroke; }
svg .curve.c0 { stroke: var(--c0); } svg .curve.c1 { stroke: var(--c1); } svg .curve.c2 { stroke: var(--c2); }
svg .curve.c3 { stroke: var(--c3); } svg .curve.c4 { stroke: var(--c4); } svg .curve.c5 { stroke: var(--c5); }
svg .curve.c6 { stroke: var(--c6); } svg .curve.c7 { stroke: var(--c7); }
svg .area, svg .ribbon { opacity: 0.85; }
svg .c0 { fill: var(--c0); } svg .c1 { fill: var(--c1); } svg .c2 { fill: var(--c2); } svg .c3 { fill: var(--c3); }
svg .c4 { fill: var(--c4); } svg .c5 { fill: var(--c5); } svg .c6 { fill: var(--c6); } svg .c7 { fill: var(--c7); }
svg .curve.curve { fill: none; }
i.c0 { background: var(--c0); } i.c1 { background: var(--c1); } i.c2 { background: var(--c2); } i.c3 { background: var(--c3); }
i.c4 { background: var(--c4); } i.c5 { background: var(--c5); } i.c6 { background: var(--c6); } i.c7 { background: var(--c7); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 8px 0 0; padding: 0; font-size: 0.84rem; color: var(--quiet); }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 6px; }
.legend b { color: var(--text); font-weight: 600; font-variant-numeric: tabular-nums; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(300px, 100%), 1fr)); gap: 14px; }
article { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 12px 14px; break-inside: avoid; }
table { border-collapse: collapse; width: 100%; margin-top: 6px; font-size: 0.88rem; }
th { text-align: left; font-weight: 400; color: var(--quiet); padding: 2px 12px 2px 0; vertical-align: top; white-space: nowrap; }
td { text-align: right; padding: 2px 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
.law th, .law td { border-top: 1px solid var(--line); padding-top: 6px; font-weight: 600; color: var(--text); }
details { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 10px 14px; }
summary { cursor: pointer; font-weight: 600; }
pre { overflow-x: auto; margin: 10px 0 0; }
footer { margin-top: 32px; color: var(--quiet); font-size: 0.84rem; }
@media (min-width: 820px) { .tiles { grid-template-columns: repeat(4, 1fr); } }
@media (max-width: 520px) { main { padding: 20px 14px 40px; } svg text { font-size: 16px; } }
@page { margin: 12mm; }
@media print { h2 { break-after: avoid; } body { font-size: 11pt; } main { max-width: none; padding: 0; } .plots { grid-template-columns: 1fr 1fr; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; } details { display: none; } section { break-inside: auto; } }
)";
}

}  // namespace knead::report
