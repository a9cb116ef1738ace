import { type Html, html } from './html.js'

/** The part of the query page that needs a valid key; scripts fill it and show it. */
export function workspace(): Html {
  return html`<div id="workspace" class="workspace" hidden>
<div class="side">${scope()}${shelf()}</div>
<div class="work">${asking()}${rows()}${chart()}</div>
</div>`
}

function scope(): Html {
  return html`<section class="card stack" aria-labelledby="scope-title">
<h2 id="scope-title">Point of view</h2>
<div class="field">
<label for="project">Project</label>
<select id="project"></select>
<p class="hint" id="project-empty" hidden>This key reads no project.</p>
<details id="sealed" class="sealed" hidden></details>
</div>
<div class="field">
<label for="entity">From the entity <span class="soft">(optional)</span></label>
<div class="entity"><input id="entity" role="combobox" aria-expanded="false" aria-controls="entity-list" aria-autocomplete="list" autocomplete="off"
 autocapitalize="none" spellcheck="false" placeholder="The whole project" aria-describedby="entity-hint">
<ul id="entity-list" class="entities" role="listbox" aria-label="Entities" hidden></ul></div>
<p class="hint" id="entity-hint"></p>
</div>
<fieldset class="field">
<legend>Ownership</legend>
<div class="segments">
<label class="choice"><input type="radio" name="ownership" id="net" value="net" aria-describedby="ownership-hint"><span>Net</span></label>
<label class="choice"><input type="radio" name="ownership" id="gross" value="gross" aria-describedby="ownership-hint"><span>Gross</span></label>
</div>
<p class="hint" id="ownership-hint">Net counts each entity at its ownership share, gross at 100%.</p>
</fieldset>
</section>`
}

function shelf(): Html {
  return html`<section class="card shelf" aria-labelledby="shelf-title">
<h2 id="shelf-title">What you can query</h2>
<p id="reading" class="hint" role="status"></p>
<details id="relations-fold" open><summary>Relations and columns</summary>
<div id="relations"></div></details>
</section>`
}

function asking(): Html {
  return html`<section id="asking" class="card stack" aria-labelledby="asking-title">
<h2 id="asking-title" class="unseen">Query</h2>
<div class="field">
<label for="example">Worked examples</label>
<select id="example"></select>
</div>
<div class="field">
<label for="sql">SQL</label>
<div class="editor"><pre id="painted" aria-hidden="true"></pre><textarea id="sql" autocomplete="off" autocapitalize="none"
 autocorrect="off" spellcheck="false" aria-describedby="sql-hint refusal"></textarea></div>
<p class="hint" id="sql-hint">One SELECT. <kbd>Ctrl</kbd> <kbd>Enter</kbd> runs it, <kbd>Tab</kbd> leaves the field.</p>
</div>
<div id="refusal" class="notice error" role="alert" hidden></div>
<div class="row actions">
<button class="main" type="button" id="run">Run</button>
<button type="button" id="stop" hidden>Stop</button>
<button type="button" id="export">Export as Parquet</button>
<p id="status" class="soft" role="status"></p>
<label class="inline">File format <select id="format"><option value="parquet">Parquet</option><option value="csv">CSV</option>
<option value="xlsx">Excel</option><option value="ndjson">JSON lines</option><option value="arrow">Arrow</option></select></label>
<label class="inline">Rows per page <select id="limit"><option>25</option><option>100</option><option>500</option></select></label>
</div>
<div id="exporting" class="exporting" hidden>
<p id="export-said" role="status"></p>
<progress id="export-progress" aria-label="Export"></progress>
<div class="row"><button class="small" type="button" id="export-stop">Stop the export</button>
<a class="button small" id="export-again" hidden>Save it again</a></div>
</div>
</section>`
}

function rows(): Html {
  return html`<section id="results" class="card results" aria-labelledby="results-title" hidden>
<div class="title"><h2 id="results-title"></h2><p id="timing" class="hint"></p></div>
<p id="no-rows" class="soft" hidden>The query returned no rows.</p>
<div id="scroll" class="scroll" tabindex="0" role="region" aria-label="Rows, scrollable"><table id="rows"></table></div>
<div id="turning" class="row turning">
<button type="button" id="previous">Previous page</button>
<button type="button" id="next">Next page</button>
</div>
</section>`
}

function chart(): Html {
  return html`<section id="charting" class="card stack" aria-labelledby="chart-title" hidden>
<h2 id="chart-title">Chart of these rows</h2>
<div class="row pickers">
<div class="field"><label for="chart-x">Plot against</label><select id="chart-x"></select></div>
<div class="field"><label for="chart-y">Values</label><select id="chart-y"></select></div>
<div class="field"><label for="chart-as">Chart type</label><select id="chart-as"></select></div>
</div>
<figure>
<div id="plot" role="img"></div>
<figcaption><span id="chart-said"></span><span id="chart-point" class="point" aria-hidden="true"></span></figcaption>
</figure>
</section>`
}
