import { BASE_STYLE } from './base-style.js'

/** The stylesheet of all pages of the server. */
export const STYLE = `${BASE_STYLE}.keys { list-style: none; margin: 0; padding: 0; display: grid; gap: 1rem; }
.key { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1rem; }
.head { display: flex; gap: 1rem; align-items: flex-start; justify-content: space-between; }
.about { display: flex; flex-wrap: wrap; gap: 0.375rem 0.75rem; align-items: center; min-width: 0; min-height: 2.25rem; }
.name { min-width: 0; max-width: 100%; }
.badge { flex: none; padding: 0.0625rem 0.625rem; border-radius: 1rem; background: var(--sunk); border: 1px solid var(--line); color: var(--soft); font-size: 0.8125rem; font-weight: 600; }
.badge.soon { background: var(--amber-tint); border-color: var(--amber-tint); color: var(--amber-ink); }
.facts { display: flex; flex-wrap: wrap; gap: 0.75rem 2rem; margin: 0; }
.facts .wide { flex-basis: 100%; }
dt { color: var(--soft); font-size: 0.8125rem; }
dd { margin: 0; font-variant-numeric: tabular-nums; }
.chip { display: inline-block; padding: 0 0.5rem; border-radius: 0.375rem; background: var(--tint); }
.lost { color: var(--soft); font-size: 0.875rem; }
.lost .chip { background: var(--sunk); text-decoration: line-through; }
.over .name { color: var(--soft); }
.ended > summary { padding: 0.5rem 0; }
.ended > .keys { margin-top: 0.5rem; }
.usage { margin: 0; }
.usage.none { color: var(--soft); font-size: 0.875rem; }
.usage svg { display: block; width: 100%; height: 3.5rem; }
rect.calls, .swatch.calls { fill: var(--accent); background: var(--accent); }
rect.downloads, .swatch.downloads { fill: var(--amber); background: var(--amber); }
rect.ground { fill: var(--edge); }
figcaption { display: flex; flex-wrap: wrap; gap: 0.125rem 1.25rem; margin-top: 0.5rem; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
.figure { display: inline-flex; gap: 0.375rem; align-items: center; }
.figure:last-child { margin-left: auto; color: var(--soft); }
.swatch { width: 0.625rem; height: 0.625rem; border-radius: 2px; }
.days { margin-top: 0.375rem; }
.days summary { font-size: 0.875rem; font-weight: 400; }
.copy { display: flex; flex-wrap: wrap; gap: 0.5rem 0.75rem; align-items: center; }
.copy textarea { flex: 1 1 100%; }
.said { color: var(--accent); font-size: 0.9375rem; font-weight: 600; }
@media (forced-colors: active) { rect.calls { fill: CanvasText; } rect.downloads { fill: Highlight; } .swatch { forced-color-adjust: none; } }
`
