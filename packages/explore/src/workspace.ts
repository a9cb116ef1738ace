import { type Html, html } from 'foldgate/internal'
import { id } from './element-ids.js'
import type { Offers } from './offers.js'
import type { PageWords } from './words.js'

/** What the header of the query page has: project, point of view if there is one, snapshot and key; scripts show it. */
export function workspaceBar({ states }: PageWords, hasPointOfView: boolean): Html {
  return html`<div id="${id('bar')}" class="bar" hidden>
<label for="${id('project')}" class="unseen">Project</label>
<select id="${id('project')}" data-computing="${states.computing}"
 data-not-computed="${states.notComputed}"></select>
${hasPointOfView && pointOfView()}
<details class="menu" id="${id('sealed')}"><summary id="${id('sealed-told')}"></summary><div class="sheet">
<div class="field"><label for="${id('snapshot')}">Queries read the snapshot that was sealed on</label>
<select id="${id('snapshot')}"></select></div>
<div id="${id('sealed-about')}"></div></div></details>
<details class="menu" id="${id('key-menu')}"><summary>Key</summary>
<div class="sheet">
<p>A key is in use. It is kept only in this tab.</p>
<div id="${id('made')}" class="field" hidden>
<label for="${id('made-key')}">Your new key</label>
<textarea class="secret" id="${id('made-key')}" readonly rows="1" autocomplete="off"
 spellcheck="false"></textarea>
<p class="hint">Already in use here. Copy it now if you need it elsewhere too: it is shown only once.</p>
</div>
<button class="small" type="button" id="${id('forget')}">Forget key</button>
<p class="hint">The history of queries in this browser goes with it.</p>
</div></details>
</div>`
}

function pointOfView(): Html {
  return html`<details class="menu" id="${id('view-menu')}"><summary><span class="unseen">Point of view: </span><span
 id="${id('view-told')}"></span></summary>
<div class="sheet">
<div class="field">
<label for="${id('entity')}">From the entity <span class="soft">(optional)</span></label>
<div class="entity"><input id="${id('entity')}" role="combobox" aria-expanded="false"
 aria-controls="${id('entity-list')}" aria-autocomplete="list" autocomplete="off"
 autocapitalize="none" spellcheck="false" placeholder="The whole project" aria-describedby="${id('entity-hint')}">
<ul id="${id('entity-list')}" class="entities" role="listbox" aria-label="Entities" hidden></ul></div>
<p class="hint" id="${id('entity-hint')}"></p>
</div>
<fieldset class="field">
<legend>Ownership</legend>
<div class="segments">
<label class="choice"><input type="radio" name="ownership" id="${id('net')}" value="net"
 aria-describedby="${id('ownership-hint')}"><span>Net</span></label>
<label class="choice"><input type="radio" name="ownership" id="${id('gross')}" value="gross"
 aria-describedby="${id('ownership-hint')}"><span>Gross</span></label>
</div>
<p class="hint" id="${id('ownership-hint')}">Net counts each entity at its ownership share, gross at 100%.</p>
</fieldset>
</div></details>`
}

/** The part of the query page that needs a valid key; scripts fill it and show it. */
export function workspace(mount: string, offers: Offers, words: PageWords): Html {
  return html`<div id="${id('workspace')}" class="workspace" data-mount="${mount}" hidden>
${asking(offers)}
<div id="${id('split-asking')}" class="split across" role="separator" tabindex="0" aria-orientation="horizontal"
 aria-controls="${id('asking')}"
 aria-label="Height of the query"></div>
${results()}
<div id="${id('split-shelf')}" class="split down" role="separator" tabindex="0" aria-orientation="vertical"
 aria-controls="${id('shelf')}"
 aria-label="Width of the relations"></div>
${shelf(words)}
</div>`
}

function asking(offers: Offers): Html {
  return html`<section id="${id('asking')}" class="pane asking" aria-labelledby="${id('asking-title')}">
<h2 id="${id('asking-title')}" class="unseen">Query</h2>
<div id="${id('sql')}" class="editor"></div>
<div id="${id('named')}" class="named" hidden>
<p id="${id('named-about')}"></p>
<p class="hint">A ready question of this service: <code id="${id('named-name')}"></code></p>
<button type="button" class="small" id="${id('named-close')}">Write SQL instead</button>
</div>
<fieldset id="${id('parameters')}" class="parameters" hidden><legend class="unseen">Parameters</legend><div
 id="${id('parameter-list')}" class="parameter-list"></div></fieldset>
<div class="tools">
<button class="main" type="button" id="${id('run')}">Run</button>
<button type="button" id="${id('check')}" title="Check the query without running it (Ctrl+Shift+Enter)">Check</button>
<button type="button" id="${id('stop')}" hidden>Stop</button>
<p id="${id('status')}" class="soft" role="status"></p>
<details class="menu" id="${id('examples-menu')}"><summary>Examples</summary>
<div class="sheet broad"><h3 id="${id('named-title')}" hidden>Ready questions</h3><ul id="${id('named-list')}" class="cards"></ul>
<h3 id="${id('examples-title')}">Worked examples</h3><ul id="${id('examples')}" class="cards"></ul></div></details>
<details class="menu" id="${id('queries-menu')}"><summary>Queries</summary>
<div class="sheet broad">${saving(offers)}
<h3>History <span class="soft">in this browser</span></h3>
<p id="${id('history-told')}" class="hint"></p>
<ul id="${id('history')}" class="statements"></ul>
<button type="button" class="small" id="${id('history-clear')}" hidden>Clear the history</button>
</div></details>
<button type="button" id="${id('share')}">Copy link</button>
<button type="button" class="fold" id="${id('fold-shelf')}" aria-controls="${id('shelf')}"
 aria-label="Relations" title="Show or hide the relations">
<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1.5 2.5h13v11h-13zM6 2.5v11"/></svg></button>
</div>
<div id="${id('refusal')}" class="notice error" role="alert" hidden></div>
<div id="${id('checked')}" class="checked" role="status" hidden></div>
<div id="${id('hints')}" class="checked hints" role="status" hidden></div>
<p class="hint shortcuts" id="${id('shortcuts')}">One SELECT in <span id="${id('dialect')}">DuckDB</span>’s SQL. <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs it,
<kbd>Ctrl</kbd> <kbd>Shift</kbd> <kbd>Enter</kbd> checks it,
<kbd>Ctrl</kbd> <kbd>Space</kbd> completes a word,
<kbd>Ctrl</kbd> <kbd>F</kbd> finds text, <kbd>Tab</kbd> leaves the field.</p>
</section>`
}

function saving({ account, queries }: Offers): Html | false {
  if (!queries)
    return (
      account !== undefined &&
      html`<p class="hint"><a href="${account}" target="_blank"
 rel="noopener">Log in</a> (in another tab) and reload this page to save queries, and to see saved ones.</p>`
    )
  return html`<form id="${id('save-query')}" class="save" method="post" action="${queries.path}">
${tokenField(queries.token)}
<h3>Save this query</h3>
<div class="row">
<div class="field"><label for="${id('save-name')}">Name</label><input id="${id('save-name')}" name="name"
 maxlength="100" autocomplete="off"></div>
<div class="field"><label for="${id('save-for')}">For</label><select id="${id('save-for')}"
 name="organization"><option value="">Only me</option></select></div>
<button type="submit" id="${id('save')}">Save</button>
</div>
<p class="problem" id="${id('save-problem')}" role="alert" hidden></p>
</form>
<h3>Saved</h3>
<p id="${id('saved-told')}" class="hint"></p>
<ul id="${id('saved')}" class="statements"></ul>
<button type="button" class="small" id="${id('saved-more')}" hidden>Show more</button>`
}

/** The hidden field whose token binds a form to the session of the visitor. */
export function tokenField(token: string): Html {
  return html`<input type="hidden" name="token" value="${token}">`
}

const TABS = [
  ['table', 'Table'],
  ['chart', 'Chart'],
  ['map', 'Map'],
  ['json', 'JSON'],
  ['call', 'Call'],
  ['compare', 'Compare'],
] as const

function results(): Html {
  return html`<section id="${id('results')}" class="pane results" aria-labelledby="${id('results-title')}"
 aria-busy="false">
<div class="tools">
<button type="button" class="fold" id="${id('fold-asking')}" aria-controls="${id('asking')}" aria-label="Query"
 title="Show or hide the query">
<svg viewBox="0 0 16 16" aria-hidden="true"><path d="M1.5 2.5h13v11h-13zM1.5 6h13"/></svg></button>
<h2 id="${id('results-title')}"></h2>
<div role="tablist" id="${id('tabs')}" class="tabs" aria-label="Views of the result">${TABS.map(
    ([name, words], at) => html`<button type="button" role="tab" id="${id(`tab-${name}`)}"
 aria-controls="${id(`panel-${name}`)}"
 aria-selected="${at === 0 ? 'true' : 'false'}"${at > 0 && html` tabindex="-1"`}>${words}</button>`,
  )}</div>
<details class="menu" id="${id('copy-menu')}"><summary>Copy</summary><div class="sheet">
<p class="hint">The rows on this page, with all digits.</p>
<button type="button" id="${id('copy-sheet')}">Copy for a spreadsheet</button>
<label class="choice"><input type="checkbox" id="${id('copy-escape')}"
 aria-describedby="${id('copy-escape-hint')}"><span>Escape formulas in CSV</span></label>
<p class="hint" id="${id('copy-escape-hint')}">Spreadsheets run text that begins with =, +, - or @
as a formula, whoever wrote it. Escaped, it has an apostrophe before it. Numbers stay as they are.</p>
<div class="row"><button type="button" id="${id('copy-csv')}">Copy as CSV</button>
<button type="button" id="${id('copy-markdown')}">Copy as Markdown</button></div></div></details>
<span class="pair"><label class="unseen" for="${id('format')}">File format</label>
<select id="${id('format')}"><option value="parquet">Parquet</option><option value="csv">CSV</option>
<option value="xlsx">Excel</option><option value="ndjson">JSON lines</option><option
 value="arrow">Arrow</option></select>
<button type="button" id="${id('export')}">Export as Parquet</button></span>
<label class="inline" id="${id('export-escaping')}" hidden
 title="Spreadsheets run text that begins with =, +, - or @ as a formula. Escaped, it has an apostrophe before it.">
<input type="checkbox" id="${id('export-escape')}"> Escape text that spreadsheets run as formulas</label>
</div>
<div id="${id('exporting')}" class="exporting" hidden>
<p id="${id('export-said')}" role="status"></p>
<progress id="${id('export-progress')}" aria-label="Export"></progress>
<button class="small" type="button" id="${id('export-stop')}">Stop the export</button>
<a class="button small" id="${id('export-again')}" hidden>Save it again</a>
</div>
<div id="${id('newer')}" class="earlier" role="status" hidden>
<p id="${id('newer-told')}"></p>
<button class="small" type="button" id="${id('newer-read')}">Read it</button>
</div>
<div id="${id('earlier')}" class="earlier" role="status" hidden>
<p>These rows answer an earlier question, and so do their copies, pictures and files.</p>
<button class="small" type="button" id="${id('run-again')}">Run again</button>
</div>
<div class="panels">
<div id="${id('idle')}" class="idle"></div>
<div role="tabpanel" id="${id('panel-table')}" aria-labelledby="${id('tab-table')}" hidden>
<div id="${id('scroll')}" class="scroll" tabindex="0" role="region" aria-label="Rows, scrollable"><table
 id="${id('rows')}" class="rows"></table></div></div>
<div role="tabpanel" id="${id('panel-chart')}" aria-labelledby="${id('tab-chart')}" hidden></div>
<div role="tabpanel" id="${id('panel-map')}" aria-labelledby="${id('tab-map')}" hidden></div>
<div role="tabpanel" id="${id('panel-json')}" aria-labelledby="${id('tab-json')}" hidden>
<div class="tools"><p class="hint">The rows on this page, as the API sent them.</p><button type="button"
 class="small" id="${id('copy-json')}">Copy JSON</button></div>
<pre id="${id('json')}" tabindex="0" role="region" aria-label="Rows as JSON"></pre></div>
<div role="tabpanel" id="${id('panel-call')}" aria-labelledby="${id('tab-call')}" hidden>
<div class="tools"><label for="${id('call-in')}">The same call in</label>
<select id="${id('call-in')}"><option value="curl">curl (bash)</option><option
 value="python">Python</option><option value="javascript">JavaScript</option></select>
<button type="button" class="small" id="${id('copy-call')}">Copy call</button>
<p class="hint" id="${id('call-about')}"></p></div>
<pre id="${id('call')}" tabindex="0" role="region" aria-label="The call"></pre></div>
<div role="tabpanel" id="${id('panel-compare')}" aria-labelledby="${id('tab-compare')}" hidden>
<div class="tools"><label for="${id('compare-with')}">Compare with the snapshot that was sealed on</label>
<select id="${id('compare-with')}"></select>
<button type="button" class="small" id="${id('compare')}">Compare</button>
<p class="hint" id="${id('compare-said')}" role="status"></p></div>
<div id="${id('compare-scroll')}" class="scroll" tabindex="0" role="region" aria-label="Compared rows, scrollable"
 hidden><table id="${id('compared')}" class="rows"></table></div></div>
</div>
<div class="tools foot">
<span class="pair" id="${id('turning')}"><button type="button" id="${id('previous')}">Previous page</button>
<button type="button" id="${id('next')}">Next page</button>
<button type="button" id="${id('count')}" title="Count the rows of the whole result" hidden>Count rows</button></span>
<button type="button" id="${id('draw-all')}" hidden>Draw all rows</button>
<label class="unseen" for="${id('filter')}">Filter the result</label>
<input id="${id('filter')}" type="search" placeholder="Filter the result" autocomplete="off"
 spellcheck="false" hidden>
<p id="${id('sorted')}" class="hint" role="status"></p>
<p id="${id('timing')}" class="hint"></p>
<label class="inline">Rows per page <select
 id="${id('limit')}"><option>25</option><option>100</option><option>500</option></select></label>
</div>
</section>`
}

function shelf({ kinds }: PageWords): Html {
  return html`<section id="${id('shelf')}" class="pane shelf" aria-labelledby="${id('shelf-title')}">
<h2 id="${id('shelf-title')}">What you can query</h2>
<p id="${id('reading')}" class="hint" role="status"></p>
<details id="${id('relations-fold')}" open><summary>Relations and columns</summary>
<label for="${id('find')}" class="unseen">Find a relation</label>
<input id="${id('find')}" type="search" placeholder="Find a relation" autocomplete="off" spellcheck="false">
<div id="${id('relations')}" data-fold="${kinds.fold}" data-table="${kinds.table}"></div></details>
</section>`
}
