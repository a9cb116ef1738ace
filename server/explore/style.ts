import { EXPLORE_CHART_STYLE } from './chart-style.js'

const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace'

/** Styles of the query page in addition to those of all pages, with a few more colours for SQL. */
export const EXPLORE_STYLE = `
:root { --sql-keyword: #7a3db8; --sql-string: #1b6b50; --sql-number: #9a4a06; --sql-name: #20599c; --mark: #fbd9d2; --editor-size: 0.9375rem; }
@media (prefers-color-scheme: dark) {
  :root { --sql-keyword: #cfa6ff; --sql-string: #7ccfae; --sql-number: #f0b06a; --sql-name: #8fbdf5; --mark: #5c271f; }
}
.wide { font-size: 0.9375rem; }
.wide > .top { max-width: none; min-height: 3.25rem; padding: 0.375rem 1rem; gap: 0.25rem 0.75rem; border-bottom: 1px solid var(--line); background: var(--card); }
.wide > main { max-width: none; padding: 0; display: flex; flex-direction: column; }
.wide .pages { margin: 0; }
.wide .pages a { padding: 0.25rem 0.5rem; }
.wide .who { font-size: 0.875rem; gap: 0 0.5rem; }
.wide .who button { font-size: inherit; }
.wide .who a { display: inline-flex; align-items: center; min-height: 2rem; }
.soft { color: var(--soft); font-weight: 400; }
.hint:empty { display: none; }
.hint { margin: 0; font-size: 0.8125rem; }
:is(.workspace, .bar) :is(button, .button, summary), :is(.workspace, .bar) select { min-height: 2rem; padding: 0.25rem 0.75rem; font-size: 0.875rem; }
:is(.workspace, .bar) select { width: auto; padding-right: 0.25rem; }

.bar { display: flex; flex: 1; flex-wrap: wrap; gap: 0.375rem 0.5rem; align-items: center; min-width: 0; }
.bar #project { flex: 0 1 28rem; min-width: 6rem; text-overflow: ellipsis; font-weight: 600; }
#sealed { margin-left: auto; }
.menu { position: relative; }
.menu > summary { list-style: none; display: flex; align-items: center; gap: 0.375rem; width: auto; border: 1px solid var(--edge); border-radius: 0.5rem; color: var(--ink); white-space: nowrap; background: var(--card); }
.menu > summary::-webkit-details-marker { display: none; }
.menu > summary::after { content: ""; flex: none; width: 0.375rem; height: 0.375rem; margin: -0.1875rem 0.125rem 0; border: solid currentColor; border-width: 0 2px 2px 0; transform: rotate(45deg); }
.menu > summary:hover, .menu[open] > summary { border-color: var(--accent); color: var(--accent); }
#view-told { max-width: 16rem; overflow: hidden; text-overflow: ellipsis; }
.sheet { position: absolute; z-index: 20; top: calc(100% + 0.375rem); left: 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.75rem; width: max-content; max-width: min(24rem, calc(100vw - 1.5rem)); max-height: min(36rem, 75vh); overflow: auto; padding: 1rem; border: 1px solid var(--edge); border-radius: 0.75rem; background: var(--card); box-shadow: 0 0.75rem 2rem rgb(0 0 0 / 0.2); }
.sheet.broad { width: min(40rem, calc(100vw - 1.5rem)); max-width: none; }
:is(#sealed, #key-menu, #copy-menu, #examples-menu, #queries-menu) > .sheet { left: auto; right: 0; }
.sheet ul { margin: 0; padding-left: 1.125rem; }
.sheet h3, .shelf h3 { margin: 0; font-size: 0.875rem; font-weight: 650; }
#view-menu > .sheet { width: 24rem; overflow: visible; }
#sealed li { font-size: 0.8125rem; }
.sheet > button { justify-self: start; }

.access { flex: 1; display: grid; gap: 1.5rem; align-content: start; width: 100%; max-width: 64rem; margin: 0 auto; padding: 6vh 1.25rem 3rem; }
.welcome { display: grid; gap: 0.5rem; }
.welcome h2 { font-size: 1.5rem; }
.ask { display: grid; gap: 1.25rem; margin: 0; padding: 0; border: 0; min-width: 0; align-items: start; }
.ask .row > input { flex: 1 1 14rem; width: auto; min-width: 0; }
.ask .choice { width: fit-content; }
@media (min-width: 52rem) { .ask { grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); } }
.other > p + button { margin-top: 0.75rem; }
.segments { display: grid; grid-template-columns: 1fr 1fr; border: 1px solid var(--edge); border-radius: 0.5rem; padding: 0.1875rem; gap: 0.1875rem; margin-bottom: 0.375rem; }
.segments input { width: 1.125rem; min-height: 0; padding: 0; border: 0; }
.segments .choice:has(:checked) { background: var(--tint); }
.entity { position: relative; margin-bottom: 0.375rem; }
.entities { position: absolute; z-index: 1; inset-inline: 0; top: calc(100% + 0.25rem); margin: 0; padding: 0.25rem !important; list-style: none; max-height: 22rem; overflow: auto; background: var(--card); border: 1px solid var(--edge); border-radius: 0.5rem; box-shadow: 0 0.5rem 1.5rem rgb(0 0 0 / 0.18); }
.entities li { padding: 0.375rem 0.5rem; border-radius: 0.375rem; cursor: pointer; }
.entities .hint { display: block; }
.entities li:is(:hover, [aria-selected=true]) { background: var(--tint); color: var(--accent); }

.workspace { flex: 1; display: grid; grid-template-columns: minmax(0, 1fr); min-height: 0; }
.pane { min-width: 0; min-height: 0; }
.asking, .results { display: flex; flex-direction: column; }
.tools { display: flex; flex-wrap: wrap; gap: 0.375rem 0.5rem; align-items: center; padding: 0.5rem 0.75rem; }
.tools > #status { margin-right: auto; font-size: 0.875rem; }
/* After the field by keyboard, above it in view: Tab goes from the field to Run. */
.asking > .tools { order: -1; border-bottom: 1px solid var(--line); }
.editor { flex: 1; display: flex; flex-direction: column; min-height: 0; overflow: hidden; background: var(--card); }
.editor:focus-within { outline: 3px solid var(--accent); outline-offset: -3px; }
.editor.wrong { box-shadow: inset 3px 0 var(--danger); }
.shortcuts { padding: 0.25rem 0.75rem; border-top: 1px solid var(--line); }
.asking > .notice { margin: 0.5rem 0.75rem; max-height: 40vh; overflow: auto; }
kbd { padding: 0 0.25rem; border: 1px solid var(--line); border-radius: 0.25rem; background: var(--sunk); font: inherit; font-size: 0.75rem; }
.complaint { font-weight: 600; }
.notice > p + p { margin-top: 0.375rem; }
.split { position: relative; background: var(--line); }
.split::after { content: ""; position: absolute; inset: 0; margin: auto; border-radius: 2px; background: var(--edge); }
.split.down::after { width: 3px; height: 2rem; }
.split.across::after { width: 2rem; height: 3px; }
.split:focus-visible { outline-offset: 0; }
.cards { list-style: none; padding: 0 !important; display: grid; gap: 0.5rem; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); }
.cards button { display: grid; gap: 0.25rem; width: 100%; height: 100%; align-content: space-between; text-align: left; padding: 0.75rem !important; }
.cards .hint { font-family: ${MONO}; font-weight: 400; }
.statements { list-style: none; padding: 0 !important; display: grid; gap: 0.25rem; }
.statements li { display: flex; gap: 0.5rem; align-items: center; }
.statements button:first-child { flex: 1; min-width: 0; display: grid; gap: 0.125rem; text-align: left; border-color: var(--line); font-weight: 400; }
.about-it { font-weight: 600; }
.statements code { display: block; max-height: 3em; overflow: hidden; white-space: pre-wrap; color: var(--soft); font-size: 0.75rem; }
.save .row { align-items: end; margin-top: 0.5rem; }
.save .field { flex: 1 1 10rem; }
.save input { min-height: 2rem; padding: 0.25rem 0.5rem; }
.save select { width: 100%; }

.shelf { padding: 0.75rem; overflow: auto; background: var(--ground); }
.shelf h2 { font-size: 0.9375rem; margin-bottom: 0.5rem; }
.shelf h3 { margin: 0.875rem 0 0.25rem; }
.shelf ul { list-style: none; margin: 0; padding: 0; }
.shelf input { min-height: 2rem; padding: 0.25rem 0.5rem; margin-bottom: 0.25rem; font-size: 0.875rem; }
.shelf :is(summary, button) { padding-left: 0; }
.relations details { border-top: 1px solid var(--line); }
.relations summary { width: 100%; font-weight: 400; color: var(--ink); }
.relations summary:hover { color: var(--accent); }
.relations details > .small { margin: 0.375rem 0 0.75rem; padding: 0.25rem 0.75rem; }
.columns-list { margin-top: 0.375rem !important; }
.columns-list li { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 0 0.5rem; align-items: baseline; padding-bottom: 0.25rem; }
.column { min-height: 1.5rem !important; padding: 0 !important; background: none; border-color: transparent; text-align: left; font-weight: 400; }
.column:hover { background: var(--tint); }
.meaning { grid-column: 1 / -1; color: var(--soft); font-size: 0.75rem; line-height: 1.35; }
.type { color: var(--soft); font-size: 0.75rem; font-weight: 400; text-align: right; }

.results > .tools:first-child { border-bottom: 1px solid var(--line); }
#results-title { font-size: 0.9375rem; min-width: 11rem; }
.tabs { display: flex; gap: 0.125rem; margin-right: auto; }
.tabs > button { border-color: transparent; background: none; color: var(--ink); }
.tabs > button[aria-selected=true] { background: var(--tint); color: var(--accent); }
.tabs > button:disabled { color: var(--soft); opacity: 0.55; cursor: default; }
.tools label { margin: 0; font-size: 0.8125rem; font-weight: 400; }
.fold { order: -1; min-width: 2rem; padding: 0.25rem !important; color: var(--soft); }
.fold svg { display: block; width: 1rem; height: 1rem; margin: auto; fill: none; stroke: currentColor; stroke-width: 1.5; }
.fold[aria-expanded=false] { color: var(--accent); background: var(--tint); }
.pair { display: flex; gap: 0.375rem; align-items: center; }
.tools > .inline { display: flex; gap: 0.5rem; align-items: center; margin: 0 0 0 auto; white-space: nowrap; font-weight: 400; font-size: 0.8125rem; }
.panels { flex: 1; background: var(--card); min-height: 12rem; display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr); }
.panels > * { grid-area: 1 / 1; min-width: 0; min-height: 0; }
.panels > [role=tabpanel] { display: flex; flex-direction: column; overflow: auto; }
.panels > :is(#panel-chart, #panel-map) { padding: 0.75rem; display: block; }
.idle { place-self: center; padding: 2rem; color: var(--soft); text-align: center; }
.panels pre { flex: 1; margin: 0; padding: 0.75rem; overflow: auto; font: 0.8125rem/1.5 ${MONO}; background: var(--card); border-top: 1px solid var(--line); overflow-wrap: normal; }
.exporting { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; padding: 0.5rem 0.75rem; background: var(--tint); font-size: 0.875rem; }
progress { flex: 1 1 8rem; height: 0.625rem; accent-color: var(--accent); }
.foot > input { width: 11rem; min-height: 2rem; padding: 0.25rem 0.5rem; font-size: 0.875rem; }
.foot { border-top: 1px solid var(--line); }
button[aria-disabled=true] { color: var(--soft); border-color: var(--line); background: none; cursor: default; }

.scroll { flex: 1; overflow: auto; background: var(--card); overscroll-behavior-x: contain; }
#rows { display: block; margin: 0; width: max-content; min-width: 100%; font-size: 0.8125rem; overflow-wrap: normal; }
#rows :is(caption, thead, tbody) { display: block; }
#rows tr { display: grid; grid-template-columns: var(--columns); border-bottom: 1px solid var(--line); }
#rows tbody tr { content-visibility: auto; contain-intrinsic-size: auto 1.8125rem; }
#rows thead { position: sticky; top: 0; z-index: 1; background: var(--sunk); }
#rows :is(th, td) { min-width: 0; padding: 0.25rem 0.75rem; border: 0; text-align: left; overflow: hidden; text-overflow: ellipsis; white-space: pre; }
#rows thead th { display: flex; flex-direction: column; padding: 0.25rem 0.5rem; color: var(--ink); }
#rows thead button { display: flex; gap: 0.25rem; min-height: 1.5rem; padding: 0 0.25rem; border-color: transparent; background: none; text-align: left; font-size: 0.8125rem; }
#rows thead button:focus-visible { outline-offset: -3px; }
.column-name { overflow: hidden; text-overflow: ellipsis; }
#rows thead .type { padding: 0 0.25rem; text-align: inherit; overflow: hidden; text-overflow: ellipsis; }
#rows .number { text-align: right; }
#rows thead .number { align-items: flex-end; }
#rows tbody th { color: var(--soft); text-align: right; }
#rows tbody tr:hover { background: var(--tint); }
#rows summary { color: inherit; font: inherit; width: auto; min-height: 0; padding: 0; overflow: hidden; text-overflow: ellipsis; }
#rows details > div { white-space: pre-wrap; overflow-wrap: anywhere; }
#rows td.null { color: var(--soft); font-style: italic; }
#rows td.nested { font-family: ${MONO}; font-size: 0.75rem; }
.results[aria-busy=true] .scroll { opacity: 0.6; }

@media (min-width: 64rem) {
  .wide > .top, .bar { flex-wrap: nowrap; }
  .wide .who { flex-wrap: nowrap; }
  .wide .email { display: none; }
  .wide { height: 100vh; height: 100dvh; overflow: hidden; }
  .wide > main { min-height: 0; overflow: auto; }
  .workspace { grid-template: var(--asking) 5px minmax(0, 1fr) / var(--shelf) 5px minmax(0, 1fr); }
  .no-asking { grid-template-rows: 0 9px minmax(0, 1fr); }
  .no-shelf { grid-template-columns: 0 9px minmax(0, 1fr); }
  .shelf { grid-area: 1 / 1 / 4 / 2; }
  #split-shelf { grid-area: 1 / 2 / 4 / 3; cursor: col-resize; }
  .asking { grid-area: 1 / 3; }
  #split-asking { grid-area: 2 / 3; cursor: row-resize; }
  .results { grid-area: 3 / 3; }
  .no-asking > .asking, .no-shelf > .shelf { visibility: hidden; overflow: hidden; }
  .split { touch-action: none; }
  .split:is(:hover, :focus-visible) { background: var(--accent); }
  .shelf > details > summary { display: none; }
  .asking > .notice { max-height: 50%; flex: none; }
}
@media (min-width: 64rem) and (max-width: 84rem) {
  .wide .brand > span, .sealed-word { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  #view-told { max-width: 8rem; }
  .wide .pages a { padding-inline: 0.375rem; }
}
@media (max-width: 63.99rem) {
  .bar { flex: 1 1 100%; order: 1; }
  .split, .fold { display: none; }
  .pane { border-bottom: 1px solid var(--line); }
  .editor { flex: none; height: 14rem; }
  .results .scroll, .panels pre { max-height: 70vh; }
  #sealed { margin-left: 0; }
  .wide > .top, .asking, .results { position: relative; }
  .menu { position: static; }
  .sheet, :is(#sealed, #key-menu, #copy-menu, #examples-menu, #queries-menu) > .sheet { left: 0.75rem; right: 0.75rem; top: auto; width: auto !important; max-width: 44rem; margin-top: 0.375rem; }
}
@media (max-width: 40rem) {
  :root { --editor-size: 1rem; }
  .shortcuts { display: none; }
  .bar #project { flex: 1 1 100%; }
  .tools > .tabs { order: 1; width: 100%; }
}
${EXPLORE_CHART_STYLE}`
