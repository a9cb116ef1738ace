/** Styles of the charts and maps on the query page. Each series has 3:1 against the card in light and in dark mode. */
export const EXPLORE_CHART_STYLE = `
:root {
  --series-1: #1b7a5a; --series-2: #c2600a; --series-3: #2f6fbd; --series-4: #b03468;
  --series-5: #7656b8; --series-6: #87780c; --series-7: #128396; --series-8: #6d7671;
}
@media (prefers-color-scheme: dark) {
  :root {
    --series-1: #5cc298; --series-2: #f0a04b; --series-3: #7db1f2; --series-4: #ee82a8;
    --series-5: #b69df0; --series-6: #d2c14f; --series-7: #57c6d8; --series-8: #a6b1ab;
  }
}
.series-1 { --series: var(--series-1); }
.series-2 { --series: var(--series-2); }
.series-3 { --series: var(--series-3); }
.series-4 { --series: var(--series-4); }
.series-5 { --series: var(--series-5); }
.series-6 { --series: var(--series-6); }
.series-7 { --series: var(--series-7); }
.series-8 { --series: var(--series-8); }

.chart-controls { display: flex; flex-wrap: wrap; gap: 0.75rem 1rem; align-items: end; margin-bottom: 1.25rem; }
.chart-controls:not(:has(> :not([hidden]))) { display: none; }
.chart-control { margin: 0; flex: 0 1 auto; min-width: 7rem; max-width: 100%; }
.chart-control > span { display: block; margin-bottom: 0.25rem; font-size: 0.8125rem; color: var(--soft); }
.chart-control select { width: auto; min-width: 100%; max-width: 100%; min-height: 2.25rem; padding: 0.25rem 0.5rem; font-weight: 400; }
.chart-values { position: relative; padding: 0.375rem 0; max-width: 100%; }
.chart-values[open] { flex-basis: 100%; }
.chart-choices { display: flex; flex-wrap: wrap; margin-top: 0.375rem; }
.chart-zoom { display: flex; gap: 0.375rem; margin-left: auto; }
.chart-zoom button { min-width: 2.25rem; padding-inline: 0.625rem; }

.chart-figure { margin: 0; min-width: 0; }
.chart-view { position: relative; }
.chart-box { min-width: 0; min-height: 1px; }
.chart-map { touch-action: pan-y; cursor: grab; user-select: none; }
.chart-map:active { cursor: grabbing; }
.chart-drawing { display: block; max-width: 100%; overflow: hidden; background: var(--card); font-size: 12px; }
.chart-drawing text { fill: var(--ink); font-size: 12px; font-variant-numeric: tabular-nums; }
.chart-drawing .chart-title { font-weight: 600; }
.chart-drawing :is(.chart-tick, .chart-value) { fill: var(--soft); }
.chart-grid { stroke: var(--line); stroke-width: 1; shape-rendering: crispEdges; }
.chart-axis { stroke: var(--edge); stroke-width: 1; shape-rendering: crispEdges; }
:is(.chart-bar, .chart-swatch, .chart-knot) { fill: var(--series); }
.chart-line { fill: none; stroke: var(--series); stroke-width: 2; stroke-linejoin: round; }
.chart-dot { fill: var(--series); fill-opacity: 0.45; stroke: var(--series); stroke-width: 1; }
.chart-size { fill: none; stroke: var(--edge); stroke-width: 1; }
.chart-sea { fill: var(--sunk); }
.chart-land { fill: var(--card); stroke: var(--edge); stroke-width: 0.5; }
.chart-graticule { fill: none; stroke: var(--line); stroke-width: 0.5; }
.chart-caption { display: block; margin-top: 0.75rem; color: var(--soft); }
.chart-tools { display: flex; flex-wrap: wrap; gap: 0.5rem; margin-top: 0.75rem; }
.chart-tip {
  position: absolute; z-index: 1; max-width: min(20rem, 100%); padding: 0.5rem 0.75rem; pointer-events: none;
  background: var(--card); border: 1px solid var(--edge); border-radius: 0.5rem; font-size: 0.8125rem; line-height: 1.45;
  box-shadow: 0 0.25rem 1rem rgb(0 0 0 / 0.16); font-variant-numeric: tabular-nums;
}
.chart-tip p { display: flex; gap: 1rem; justify-content: space-between; }
.chart-tip span { color: var(--soft); }
.chart-tip strong { font-weight: 600; text-align: right; }
.chart-tip-title { font-weight: 650; }
@media (max-width: 40rem) { .chart-control { flex: 1 1 8rem; } }
`
