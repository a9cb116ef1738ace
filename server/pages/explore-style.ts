/** Styles of the query page in addition to those of all pages, with a few more colours for SQL. */
export const EXPLORE_STYLE = `
:root { --sql-keyword: #7a3db8; --sql-string: #1b6b50; --sql-number: #9a4a06; --sql-name: #20599c; --mark: #fbd9d2; }
@media (prefers-color-scheme: dark) {
  :root { --sql-keyword: #cfa6ff; --sql-string: #7ccfae; --sql-number: #f0b06a; --sql-name: #8fbdf5; --mark: #5c271f; }
}
.wide :is(.top, main, footer) { max-width: 100rem; }
.explore, .workspace, .side, .work { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-content: start; }
.explore .lead { margin-top: 0.375rem; max-width: none; }
@media (min-width: 64rem) { .workspace { grid-template-columns: 21rem minmax(0, 1fr); } }
.soft { color: var(--soft); font-weight: 400; }
.hint:empty { display: none; }
.ask { display: grid; gap: 1.25rem 2.5rem; margin: 0; padding: 0; border: 0; min-width: 0; }
.ask .row > input { flex: 1 1 16rem; width: auto; min-width: 0; }
@media (min-width: 64rem) { .ask { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } .other { border-left: 1px solid var(--line); padding-left: 2.5rem; } }
.other > p + button { margin-top: 0.75rem; }
.access:has(#key-ask[hidden]) { padding-block: 0.625rem; }
#key-held { justify-content: space-between; flex-wrap: nowrap; }
#key-held .small { white-space: nowrap; }
#made { margin-top: 1rem; }
.access .choice { min-height: 2.75rem; align-items: center; }
.access .choice input { margin: 0; }
.segments { display: grid; grid-template-columns: 1fr 1fr; border: 1px solid var(--edge); border-radius: 0.5rem; padding: 0.1875rem; gap: 0.1875rem; }
.segments input { width: 1.125rem; min-height: 0; padding: 0; border: 0; }
.segments .choice:has(:checked) { background: var(--tint); }

.entity { position: relative; }
.entities { position: absolute; z-index: 1; inset-inline: 0; top: calc(100% + 0.25rem); margin: 0; padding: 0.25rem; list-style: none; max-height: 22rem; overflow: auto; background: var(--card); border: 1px solid var(--edge); border-radius: 0.5rem; box-shadow: 0 0.5rem 1.5rem rgb(0 0 0 / 0.18); }
.entities li { padding: 0.375rem 0.5rem; border-radius: 0.375rem; cursor: pointer; }
.entities .hint { display: block; margin: 0; }
.entities li:is(:hover, [aria-selected=true]) { background: var(--tint); color: var(--accent); }

.sealed { margin-top: 0.5rem; }
.sealed ul { margin: 0.5rem 0 0; padding-left: 1.125rem; overflow-wrap: anywhere; font-size: 0.875rem; }

.shelf h3 { margin: 1rem 0 0.25rem; font-size: 0.9375rem; font-weight: 650; }
.shelf ul { list-style: none; margin: 0; padding: 0; }
.shelf > details > summary { margin-top: 0.5rem; }
@media (min-width: 64rem) { .shelf > details > summary { display: none; } }
.relations details { border-top: 1px solid var(--line); }
.relations summary { width: 100%; padding: 0.375rem 0; font-weight: 400; color: var(--ink); }
.relations summary:hover { color: var(--accent); }
.relations details > .small { margin: 0.5rem 0 0.875rem; }
.columns-list { margin-top: 0.5rem !important; }
.columns-list li { display: flex; gap: 0.75rem; align-items: baseline; justify-content: space-between; }
.column { min-height: 1.75rem; padding: 0.125rem 0.375rem; margin-left: -0.375rem; background: none; border-color: transparent; text-align: left; font-weight: 400; }
.column:hover { background: var(--tint); }
.type { color: var(--soft); font-size: 0.75rem; text-align: right; }

.editor { display: grid; grid-template-columns: minmax(0, 1fr); max-height: 34rem; overflow: auto; border: 1px solid var(--edge); border-radius: 0.5rem; background: var(--sunk); }
.editor:focus-within { outline: 3px solid var(--accent); outline-offset: 2px; }
.editor:has([aria-invalid=true]) { border-color: var(--danger); }
.editor > pre, .editor > textarea#sql {
  grid-area: 1 / 1; margin: 0; min-height: 10rem; padding: 0.625rem 0.75rem 0.625rem 3.25rem; border: 0 !important; border-radius: 0;
  font: 0.9375rem/1.6 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-variant-ligatures: none;
  letter-spacing: 0; tab-size: 2; white-space: pre-wrap; overflow-wrap: anywhere; word-break: normal; text-align: left;
}
.editor > pre { counter-reset: line; pointer-events: none; }
.editor > textarea#sql { position: relative; height: 100%; overflow: hidden; resize: none; field-sizing: fixed; background: none; color: transparent; caret-color: var(--ink); outline: none; }
.editor > textarea#sql::selection { background: color-mix(in srgb, var(--accent) 30%, transparent); color: transparent; }
.line { display: block; position: relative; min-height: 1.6em; }
.line::before { counter-increment: line; content: counter(line); position: absolute; right: calc(100% + 0.875rem); color: var(--soft); font-size: 0.8125rem; }
.keyword { color: var(--sql-keyword); }
.string { color: var(--sql-string); }
.number:is(span, mark) { color: var(--sql-number); }
.name:is(span, mark) { color: var(--sql-name); }
.comment, .sign { color: var(--soft); }
.editor mark { background: var(--mark); color: var(--ink); border-radius: 2px; text-decoration: underline wavy var(--danger); text-underline-offset: 0.2em; }
kbd { padding: 0 0.3125rem; border: 1px solid var(--line); border-radius: 0.25rem; background: var(--sunk); font: inherit; font-size: 0.8125rem; }
.complaint { font-weight: 600; }
.notice > p + p { margin-top: 0.375rem; }
.actions .inline { display: flex; gap: 0.5rem; align-items: center; margin: 0 0 0 auto; white-space: nowrap; font-weight: 400; }
.actions .inline + .inline { margin-left: 0; }
.inline select { width: auto; min-height: 2.25rem; padding: 0.25rem 0.5rem; }
.exporting { display: grid; gap: 0.5rem; padding: 0.75rem 1rem; border-radius: 0.5rem; background: var(--tint); }
progress { width: 100%; height: 0.625rem; accent-color: var(--accent); }

.results .title { align-items: baseline; margin-bottom: 0.75rem; }
.scroll { overflow: auto; max-height: min(36rem, 75vh); border: 1px solid var(--line); border-radius: 0.5rem; overscroll-behavior-x: contain; }
#rows { margin: 0; min-width: 100%; overflow-wrap: normal; border-collapse: separate; border-spacing: 0; }
#rows :is(th, td) { padding: 0.375rem 0.875rem; text-align: left; vertical-align: top; }
#rows :is(th, td).number { text-align: right; color: inherit; }
#rows thead th { position: sticky; top: 0; z-index: 1; background: var(--sunk); color: var(--ink); font-weight: 600; }
#rows :is(tbody th, thead th:first-child) { width: 1px; }
#rows tbody th { color: var(--soft); text-align: right; }
#rows tbody tr:last-child > * { border-bottom: 0; }
#rows tbody tr:hover > * { background: var(--tint); }
#rows :is(td, th) > :is(div, details) { max-width: 28rem; overflow-wrap: anywhere; width: max-content; }
#rows summary { color: inherit; font: inherit; width: auto; }
#rows details[open] > summary { color: var(--soft); }
#rows :is(td, th).number > div { margin-left: auto; white-space: nowrap; }
#rows td.null { color: var(--soft); font-style: italic; }
#rows td.json { font: 0.8125rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; }
.results[aria-busy=true] .scroll { opacity: 0.6; }
.turning { margin-top: 1rem; }
button[aria-disabled=true] { color: var(--soft); border-color: var(--line); background: none; cursor: default; }

.pickers { align-items: end; }
.pickers .field { flex: 1 1 9rem; }
figure { margin: 0; min-width: 0; }
#plot { width: 100%; overflow: hidden; }
#plot .u-wrap { margin: 0 auto; }
figcaption { justify-content: space-between; }
.point { font-weight: 600; }
.uplot, .uplot * { font: inherit; }
@media (max-width: 40rem) {
  .editor > pre, .editor > textarea#sql { font-size: 1rem; padding-left: 2.5rem; }
  .line::before { right: calc(100% + 0.5rem); }
  .actions > button { flex: 1 1 8rem; }
  .actions .inline { margin-left: 0; }
}
@media (forced-colors: active) { .editor > pre > .line > span { color: transparent; } }
`
