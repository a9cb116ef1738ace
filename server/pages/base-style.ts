/**
 * Colours, elements and controls of every page. Each pair of colours meets the contrast of WCAG AA, in light and in dark
 * mode. The query page of hosts has it, too, see `packages/explore/bundle.mjs`.
 */
export const BASE_STYLE = `:root {
  color-scheme: light dark;
  --ground: #f5f6f2;
  --card: #ffffff;
  --ink: #1a231f;
  --soft: #55615b;
  --line: #dfe3dc;
  --edge: #7d8983;
  --accent: #1b6b50;
  --accent-ink: #ffffff;
  --accent-over: #134d3a;
  --tint: #e4f0ea;
  --danger: #a63022;
  --danger-ink: #ffffff;
  --danger-tint: #fbeae6;
  --amber: #b3640c;
  --amber-tint: #fbf0dd;
  --amber-ink: #7a4205;
  --sunk: #eef1ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #121715;
    --card: #1a211e;
    --ink: #e6ece8;
    --soft: #a2afa8;
    --line: #2d3732;
    --edge: #75827b;
    --accent: #7ccfae;
    --accent-ink: #0b1f17;
    --accent-over: #a5e3ca;
    --tint: #1c3229;
    --danger: #ff9c8b;
    --danger-ink: #2b0904;
    --danger-tint: #3a1e19;
    --amber: #eaa54a;
    --amber-tint: #36290f;
    --amber-ink: #f3c684;
    --sunk: #141a17;
  }
}
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; display: flex; flex-direction: column;
  background: var(--ground); color: var(--ink);
  font: 1rem/1.55 ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, Inter, "Noto Sans", sans-serif;
  overflow-wrap: anywhere;
}
h1, h2 { margin: 0; line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; }
h1 { font-size: 1.75rem; font-weight: 650; }
h2 { font-size: 1.125rem; font-weight: 650; }
p { margin: 0; }
a { color: var(--accent); text-underline-offset: 0.15em; }
a:hover { color: var(--accent-over); }
code, .secret { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }

.top, main, footer { width: 100%; max-width: 68rem; margin: 0 auto; padding: 0 1.25rem; }
.top { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; justify-content: space-between; padding-block: 1rem; }
.brand { display: inline-flex; gap: 0.5rem; align-items: center; font-weight: 650; letter-spacing: -0.01em; color: var(--ink); text-decoration: none; }
.brand:hover { color: var(--accent); }
.mark { width: 1.75rem; height: 1.75rem; flex: none; }
.pages { display: flex; gap: 0.25rem; margin: 0 auto 0 0.5rem; }
.pages a { padding: 0.25rem 0.75rem; border-radius: 0.5rem; color: var(--ink); font-size: 0.9375rem; font-weight: 600; text-decoration: none; }
.pages a:hover { color: var(--accent); background: var(--tint); }
.pages a[aria-current] { color: var(--accent); background: var(--tint); }
.who { display: flex; flex-wrap: wrap; gap: 0 0.75rem; align-items: center; min-width: 0; font-size: 0.9375rem; }
.who a { color: var(--ink); font-weight: 600; }
.who a:hover { color: var(--accent); }
.who a, .quiet { flex: none; }
.email { color: var(--soft); }
main { flex: 1; padding-block: 1.5rem 3rem; }
footer { padding-block: 1.25rem 2rem; color: var(--soft); font-size: 0.875rem; }
footer p { border-top: 1px solid var(--line); padding-top: 1.25rem; }

.narrow { max-width: 25rem; margin: 3vh auto 0; }
.middle { max-width: 42rem; margin: 3vh auto 0; }
.narrow, .middle, .held, .stack { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; }
.narrow { gap: 1.5rem; }
h1 + .lead { margin-top: -0.75rem; }
.narrow h1 + .lead { margin-top: -1rem; }
.lead { color: var(--soft); max-width: 60ch; }
.columns { display: grid; gap: 2rem; align-items: start; }
.columns > * { min-width: 0; }
@media (min-width: 58rem) {
  .columns { grid-template-columns: minmax(0, 1fr) 21rem; gap: 2.5rem; }
  .create { position: sticky; top: 1.25rem; }
}
.card { background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; padding: 1.25rem; }
.create > * + * { margin-top: 1.125rem; }
.row { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; }
.empty { color: var(--soft); border-style: dashed; border-color: var(--edge); padding: 1.75rem 1.25rem; background: none; }

.field { margin: 0; padding: 0; border: 0; min-width: 0; }
label, legend { display: block; padding: 0; font-weight: 600; font-size: 0.9375rem; margin-bottom: 0.375rem; }
input:not([type=checkbox]), select, textarea {
  display: block; width: 100%; min-height: 2.75rem; padding: 0.5rem 0.75rem; border: 1px solid var(--edge);
  border-radius: 0.5rem; background: var(--card); color: inherit; font: inherit;
}
textarea { resize: none; field-sizing: content; }
.secret:is(input, textarea) { background: var(--sunk); font: 0.875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
[aria-invalid=true] { border-color: var(--danger) !important; border-width: 2px !important; outline-color: var(--danger); }
.choices { display: grid; gap: 0.125rem; max-height: 15rem; overflow-y: auto; padding: 0.25rem; border: 1px solid var(--edge); border-radius: 0.5rem; }
.title { display: flex; flex-wrap: wrap; gap: 0.75rem; align-items: center; justify-content: space-between; }
.title + .lead { margin-top: -0.5rem; }
@media (min-width: 58rem) { .jump.button { display: none; } }
.choice { display: flex; gap: 0.625rem; align-items: flex-start; margin: 0; padding: 0.5rem; font-weight: 400; border-radius: 0.375rem; cursor: pointer; }
.choice:hover { background: var(--tint); }
.choice input { flex: none; width: 1.125rem; height: 1.125rem; margin: 0.1875rem 0 0; accent-color: var(--accent); }
.choice span { min-width: 0; }
.choice code { color: var(--soft); }
.hint { color: var(--soft); font-size: 0.875rem; margin-top: 0.375rem; }
.problem { color: var(--danger); font-size: 0.875rem; font-weight: 600; margin: 0.375rem 0; }

button, .button {
  display: inline-block; min-height: 2.75rem; padding: 0.5625rem 1rem; border: 1px solid var(--edge); border-radius: 0.5rem;
  background: var(--card); color: var(--ink); font: inherit; font-weight: 600; font-size: 0.9375rem; text-align: center; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { border-color: var(--accent); color: var(--accent); }
.main:is(button, .button) { background: var(--accent); border-color: var(--accent); color: var(--accent-ink); }
.main:is(button, .button):hover { background: var(--accent-over); border-color: var(--accent-over); }
.stack > button.main { width: 100%; }
.danger:is(button, .button) { background: var(--danger); border-color: var(--danger); color: var(--danger-ink); }
.danger:is(button, .button):hover { filter: brightness(0.9); }
.quiet { min-height: 2.25rem; margin-right: -0.625rem; padding: 0.25rem 0.625rem; background: none; border-color: transparent; text-decoration: underline; text-underline-offset: 0.15em; }
.small { min-height: 2.25rem; padding: 0.25rem 0.875rem; flex: none; }
.notice { padding: 0.75rem 1rem; border-radius: 0.5rem; border-left: 4px solid; }
.notice.error { background: var(--danger-tint); border-color: var(--danger); }
.notice.done { background: var(--tint); border-color: var(--accent); }
main > .notice { margin-bottom: 1.5rem; }
main > .notice + .notice { margin-top: -0.75rem; }
summary { cursor: pointer; color: var(--accent); font-size: 0.9375rem; font-weight: 600; width: fit-content; border-radius: 0.25rem; }
table { border-collapse: collapse; margin-top: 0.5rem; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 1.5rem 0.25rem 0; text-align: right; border-bottom: 1px solid var(--line); font-weight: 400; }
th:first-child { text-align: left; }
thead th { color: var(--soft); }
.unseen { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (prefers-contrast: more) { :root { --line: var(--edge); --soft: var(--ink); } }
`
