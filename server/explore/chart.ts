import type { Row } from 'foldgate'
import type uPlot from 'uplot'
import { counted, find, make, show } from './dom.js'
import { type Drawing, plotOptions } from './plot.js'
import { type ChartColumn, chartColumns, choosePair, type Series, seriesOf } from './series.js'

const WORDS: Record<Drawing, string> = { bars: 'Bars', line: 'Line', points: 'Points' }

/** The chart of two columns of the displayed rows. */
export interface Chart {
  draw(columns: readonly string[], rows: readonly Row[]): void
  clear(): void
}

/** Manages the chart. The plot library is loaded with the first one. */
export function charting(): Chart {
  const [section, ground] = [find('charting', HTMLElement), find('plot', HTMLElement)]
  const [xField, yField, asField] = ['chart-x', 'chart-y', 'chart-as'].map(id => find(id, HTMLSelectElement)) as [
    HTMLSelectElement,
    HTMLSelectElement,
    HTMLSelectElement,
  ]
  const [caption, point] = [find('chart-said', HTMLElement), find('chart-point', HTMLElement)]
  let columns: ChartColumn[] = []
  let rows: readonly Row[] = []
  let plot: uPlot | null = null

  async function redraw(): Promise<void> {
    const x = columns.find(({ name }) => name === xField.value)
    const y = yField.value
    if (!x || y === '') return
    offerDrawings(asField, x)
    const drawing = asField.value as Drawing
    // Bars are labelled with names, whatever the scale of the column.
    const series = seriesOf(rows, drawing === 'bars' ? { ...x, scale: 'name' } : x, y)
    const words = `${y} by ${x.name}, ${counted(series.ys.length, 'point')}`
    caption.textContent = [`${words}.`, leftOut(series)].join(' ').trim()
    ground.setAttribute('aria-label', `Chart of ${words}. The table above has the numbers.`)
    const { default: UPlot } = await import('./uplot.js')
    if (rows.length === 0) return
    plot?.destroy()
    const under = (index: number | null) => {
      point.textContent =
        index === null
          ? ''
          : `${series.names[index]}: ${series.ys[index]?.toLocaleString('en', { maximumSignificantDigits: 8 })}`
    }
    const bars = UPlot.paths.bars?.({ size: [0.7, 18], align: 0 })
    const options = plotOptions(series, drawing, ground.clientWidth, under, bars)
    plot = new UPlot(options, [series.xs, series.ys], ground)
  }

  function clear(): void {
    plot?.destroy()
    plot = null
    rows = []
    show(false, section)
  }

  for (const field of [xField, yField, asField]) field.addEventListener('change', () => void redraw())
  let width = 0
  new ResizeObserver(([entry]) => {
    const wider = Math.round(entry?.contentRect.width ?? 0)
    if (plot && wider !== width && wider > 0) void redraw()
    width = wider
  }).observe(ground)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (plot) void redraw()
  })

  return {
    clear,
    draw(names, items) {
      const known = chartColumns(names, items)
      const pair = choosePair(known)
      if (!pair) return clear()
      const isSame = JSON.stringify(known) === JSON.stringify(columns) && plot !== null
      columns = known
      rows = items
      if (!isSame) {
        fill(xField, known, pair.x)
        fill(
          yField,
          known.filter(({ scale }) => scale === 'number'),
          pair.y,
        )
      }
      show(true, section)
      void redraw()
    },
  }
}

function fill(field: HTMLSelectElement, columns: readonly ChartColumn[], chosen: string): void {
  field.replaceChildren(...columns.map(({ name }) => make('option', { value: name, selected: name === chosen }, name)))
}

/** Offers the chart types that suit a column, the best first. If they are the same as before, the choice stays. */
function offerDrawings(field: HTMLSelectElement, { scale }: ChartColumn): void {
  const fitting: Drawing[] =
    scale === 'name' ? ['bars'] : scale === 'time' ? ['line', 'points', 'bars'] : ['points', 'line', 'bars']
  if (fitting.join() === [...field.options].map(({ value }) => value).join()) return
  field.replaceChildren(...fitting.map(value => make('option', { value }, WORDS[value])))
}

function leftOut({ without, beyond }: Series): string {
  const words = []
  if (without > 0) words.push(`${counted(without, 'row')} without a number left out.`)
  if (beyond > 0) words.push(`${counted(beyond, 'more row')} not drawn.`)
  return words.join(' ')
}
