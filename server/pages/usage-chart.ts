import { type Html, html } from 'foldgate/internal'
import { type DayUsage, lastDays } from '../store/usage.js'
import { counted, dayOf } from './dates.js'

/** Number of days that a usage chart covers. */
export const CHART_DAYS = 30
const BAR_WIDTH = 6
const STEP = 8
const HEIGHT = 56
const LEAST_HEIGHT = 2

interface Day {
  at: number
  calls: number
  downloads: number
}

/**
 * Usage of one key in the last 30 days: a bar per day with downloads stacked on
 * calls, the totals, and a table.
 */
export function usageChart(usage: readonly DayUsage[], now: number): Html {
  const days = lastDays(CHART_DAYS, now).map((name): Day => {
    const used = usage.find(({ day }) => day === name)
    return { at: Date.parse(name), calls: used?.calls ?? 0, downloads: used?.downloads ?? 0 }
  })
  const [calls, downloads] = [sum(days, 'calls'), sum(days, 'downloads')]
  const failed = usage.reduce((total, day) => total + day.failed, 0)
  const most = Math.max(...days.map(totalOf))
  if (most === 0) return html`<p class="usage none">No calls in the last ${CHART_DAYS} days.</p>`
  const words = [dayOf(days[0]?.at ?? now), dayOf(now)].join(' to ')
  return html`<figure class="usage">
<svg viewBox="0 0 ${STEP * CHART_DAYS} ${HEIGHT}" role="img" aria-label="Calls and downloads per day, ${words}"
 preserveAspectRatio="none">
${days.map((day, at) => bar(day, at, most))}
</svg>
<figcaption><span class="figure"><i class="swatch calls"></i>${counted(calls, 'call')}</span>
${failed > 0 && html`<span class="figure">${failed.toLocaleString('en')} failed</span>`}
<span class="figure"><i class="swatch downloads"></i>${counted(downloads, 'download')}</span>
<span class="figure">${CHART_DAYS} days, ${most.toLocaleString('en')} on the busiest</span></figcaption>
${table(days.filter(day => totalOf(day) > 0))}
</figure>`
}

function bar(day: Day, at: number, most: number): Html {
  const x = at * STEP + (STEP - BAR_WIDTH) / 2
  const lower = heightOf(day.calls, most)
  const upper = heightOf(day.downloads, most)
  return html`<g><title>${told(day)}</title>
<rect class="ground" x="${x}" y="${HEIGHT - 1}" width="${BAR_WIDTH}" height="1"/>
${lower > 0 && html`<rect class="calls" x="${x}" y="${HEIGHT - lower}" width="${BAR_WIDTH}" height="${lower}"/>`}
${upper > 0 && html`<rect class="downloads" x="${x}" y="${HEIGHT - lower - upper}" width="${BAR_WIDTH}" height="${upper}"/>`}
</g>`
}

/** Height of one part of a bar. A count above 0 stays visible, however busy another day was. */
function heightOf(count: number, most: number): number {
  return count === 0 ? 0 : LEAST_HEIGHT + Math.round((count / most) * (HEIGHT - 2 * LEAST_HEIGHT))
}

function told(day: Day): string {
  return `${dayOf(day.at)}: ${counted(day.calls, 'call')}, ${counted(day.downloads, 'download')}`
}

function table(days: readonly Day[]): Html {
  return html`<details class="days">
<summary>Day by day</summary>
<table>
<thead><tr><th scope="col">Day (UTC)</th><th scope="col">Calls</th><th scope="col">Downloads</th></tr></thead>
<tbody>
${days.toReversed().map(
  ({ at, calls, downloads }) =>
    html`<tr><th scope="row">${dayOf(at)}</th><td>${calls.toLocaleString('en')}</td>
<td>${downloads.toLocaleString('en')}</td></tr>`,
)}
</tbody>
</table>
</details>`
}

function totalOf({ calls, downloads }: Day): number {
  return calls + downloads
}

function sum(days: readonly Day[], what: 'calls' | 'downloads'): number {
  return days.reduce((total, day) => total + day[what], 0)
}
