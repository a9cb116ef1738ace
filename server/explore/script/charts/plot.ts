import { scaleBand, scaleLinear, scaleUtc } from 'd3-scale'
import { line, stack, stackOffsetDiverging } from 'd3-shape'
import { type Column, shortText } from '../values.js'
import type { Picture, Series, Spot } from './series.js'
import {
  type Drawn,
  different,
  draw,
  extentOf,
  type Frame,
  fitted,
  frameOf,
  HEAD,
  type Legend,
  legendOf,
  type Target,
  widthOf,
  zeroLine,
} from './svg.js'
import { tick } from './units.js'

type Describe = (spot: Spot, series: Series) => Pick<Target, 'title' | 'lines'>

/** Draws a picture this wide. */
export function plotOf(picture: Picture, columns: readonly Column[], width: number): Drawn {
  const describe: Describe = ({ row }, { name }) => {
    const { x, values, colour } = picture.plot
    const shown = [colour === null && picture.plot.mark !== 'points' ? name : values[0], x, colour]
    const others = columns.filter(({ name, kind }) => !shown.includes(name) && kind !== 'nested')
    const first = columns.filter(({ name }) => shown.includes(name))
    const told = (column: Column) => [column.name, shortText(row[column.name], column)] as const
    return { title: '', lines: [...first, ...others].slice(0, 8).map(told) }
  }
  const named = picture.series.length > 1 || picture.legend !== '' ? picture.series : []
  const legend = legendOf(picture.legend, named, width)
  if (picture.plot.mark !== 'bars') return spotsOf(picture, describe, legend, width)
  const widest = Math.max(0, ...picture.labels.map(widthOf))
  // Labels that do not fit under their bars are written beside bars that lie.
  const isLying = widest > (width - 70) / Math.max(1, picture.labels.length) - 8
  return isLying
    ? lyingBars(picture, describe, legend, width, widest)
    : standingBars(picture, describe, legend, width)
}

interface Bar {
  at: number
  /** Index among the bars of a category that stand side by side. */
  side: number
  from: number
  to: number
  spot: Spot
  series: Series
}

/** The bars of a picture, and how many stand side by side. */
function barsOf({ plot, series, labels }: Picture): { bars: Bar[]; sides: number } {
  const counts = labels.map(
    (_, at) => series.filter(({ spots }) => spots.some(spot => spot.at === at)).length,
  )
  // A category with one bar needs no room for those of other series.
  const isStacked = plot.isStacked || counts.every(count => count <= 1)
  if (!isStacked) {
    const bars = series.flatMap((one, side) =>
      one.spots.map(spot => ({ at: spot.at, side, from: 0, to: spot.value, spot, series: one })),
    )
    return { bars, sides: series.length }
  }
  const spots = series.map(one => new Map(one.spots.map(spot => [spot.at, spot])))
  const layers = stack<number, number>()
    .keys(series.keys())
    .value((at, key) => spots[key]?.get(at)?.value ?? 0)
    .offset(stackOffsetDiverging)([...labels.keys()])
  const bars = layers.flatMap(layer =>
    layer.flatMap((ends, at) => {
      const [one, spot] = [series[layer.key], spots[layer.key]?.get(at)]
      const [from, to] = spot && spot.value < 0 ? [ends[1], ends[0]] : [ends[0], ends[1]]
      return one && spot ? [{ at, side: 0, from, to, spot, series: one }] : []
    }),
  )
  return { bars, sides: 1 }
}

function lyingBars(
  picture: Picture,
  describe: Describe,
  legend: Legend,
  width: number,
  widest: number,
): Drawn {
  const { bars, sides } = barsOf(picture)
  const thick = sides > 1 ? Math.min(16, Math.max(7, 40 / sides)) * sides + 10 : 30
  const left = Math.min(widest, width * 0.42) + 12
  const height = legend.height + HEAD + thick * picture.labels.length + 54
  const isLabelled = picture.series.length === 1
  const frame = frameOf(legend, width, height, { left, bottom: 54, right: isLabelled ? 56 : 16 })
  const across = scaleLinear(
    extentOf(
      bars.flatMap(({ from, to }) => [from, to]),
      true,
    ),
    [frame.left, frame.right],
  ).nice(5)
  const band = scaleBand([...picture.labels.keys()], [frame.top, frame.bottom]).padding(
    sides > 1 ? 0.22 : 0.28,
  )
  linesAcross(frame, across, picture.yTitle)
  const part = band.bandwidth() / sides
  const targets = bars.map(bar => {
    const [x, end] = [Math.min(across(bar.from), across(bar.to)), Math.max(across(bar.from), across(bar.to))]
    const y = (band(bar.at) ?? 0) + part * bar.side
    frame.svg.append(barOf(bar.series, x, y, end - x, part - (sides > 1 ? 1 : 0)))
    if (isLabelled) {
      const at = bar.to < 0 ? Math.max(across(0), end) : end
      frame.svg.append(
        draw(
          'text',
          { x: at + 6, y: y + part / 2 + 4, class: 'chart-value' },
          tick(Number(bar.spot.value.toPrecision(3))),
        ),
      )
    }
    return { left: x, top: y, right: end, bottom: y + part, ...describe(bar.spot, bar.series) }
  })
  for (const [at, label] of picture.labels.entries()) {
    const y = (band(at) ?? 0) + band.bandwidth() / 2 + 4
    frame.svg.append(draw('text', { x: left - 10, y, 'text-anchor': 'end' }, fitted(label, left - 12)))
  }
  frame.svg.append(zeroLine(across(0), frame.top, across(0), frame.bottom))
  frame.svg.append(
    draw('text', { x: 0, y: frame.top - 8, class: 'chart-title' }, fitted(picture.xTitle, width - 8)),
  )
  return { svg: frame.svg, targets }
}

function standingBars(picture: Picture, describe: Describe, legend: Legend, width: number): Drawn {
  const { bars, sides } = barsOf(picture)
  const { frame, up } = uprightFrame(
    picture,
    legend,
    width,
    bars.flatMap(({ from, to }) => [from, to]),
    true,
  )
  const band = scaleBand([...picture.labels.keys()], [frame.left, frame.right]).padding(0.25)
  // Few bars would be as wide as walls.
  const wide = Math.min(band.bandwidth(), 72 * sides)
  const part = wide / sides
  const targets = bars.map(bar => {
    const [y, end] = [Math.min(up(bar.from), up(bar.to)), Math.max(up(bar.from), up(bar.to))]
    const x = (band(bar.at) ?? 0) + (band.bandwidth() - wide) / 2 + part * bar.side
    frame.svg.append(barOf(bar.series, x, y, part - (sides > 1 ? 1 : 0), end - y))
    return { left: x, top: y, right: x + part, bottom: end, ...describe(bar.spot, bar.series) }
  })
  for (const [at, label] of picture.labels.entries()) {
    const x = (band(at) ?? 0) + band.bandwidth() / 2
    frame.svg.append(draw('text', { x, y: frame.bottom + 18, 'text-anchor': 'middle' }, label))
  }
  frame.svg.append(zeroLine(frame.left, up(0), frame.right, up(0)))
  return { svg: frame.svg, targets }
}

/** Lines or points. */
function spotsOf(picture: Picture, describe: Describe, legend: Legend, width: number): Drawn {
  const [isLine, isTime] = [picture.plot.mark === 'lines', picture.across === 'time']
  const all = picture.series.flatMap(({ spots }) => spots)
  const values = all.map(({ value }) => value)
  // The zero is of use unless it squeezes the lines together.
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const { frame, up } = uprightFrame(picture, legend, width, values, least > 0 ? least < most / 2 : true)
  const domain = extentOf(
    all.map(({ at }) => at),
    false,
  )
  const range = [frame.left + (isLine ? 0 : 8), frame.right - 8]
  const across = isTime ? scaleUtc(domain, range) : scaleLinear(domain, range)
  if (picture.across === 'numbers') across.nice(6)
  const room = Math.max(2, Math.floor((frame.right - frame.left) / 80))
  const moment = scaleUtc().tickFormat()
  const isTick = (at: number) => picture.across !== 'years' || Number.isInteger(at)
  const ticks = across.ticks(room).map(Number).filter(isTick)
  const texts =
    picture.across === 'numbers'
      ? different(ticks, tick)
      : ticks.map(at => (isTime ? moment(new Date(at)) : String(at)))
  for (const [index, at] of ticks.entries()) {
    if (!isLine)
      frame.svg.append(
        draw('line', {
          x1: across(at),
          x2: across(at),
          y1: frame.top,
          y2: frame.bottom,
          class: 'chart-grid',
        }),
      )
    frame.svg.append(
      draw('text', { x: across(at), y: frame.bottom + 18, 'text-anchor': 'middle' }, texts[index] ?? ''),
    )
  }
  frame.svg.append(zeroLine(frame.left, frame.bottom, frame.right, frame.bottom))
  const path = line<Spot>(
    ({ at }) => across(at),
    ({ value }) => up(value),
  )
  const targets = picture.series.flatMap(series => {
    if (isLine)
      frame.svg.append(
        draw('path', { d: path(series.spots) ?? '', class: `chart-line series-${series.slot}` }),
      )
    return series.spots.map(spot => {
      const [cx, cy, r] = [across(spot.at), up(spot.value), isLine ? 3 : 5]
      if (!isLine || series.spots.length < 60)
        frame.svg.append(
          draw('circle', { cx, cy, r, class: `chart-${isLine ? 'knot' : 'dot'} series-${series.slot}` }),
        )
      return { left: cx - r, top: cy - r, right: cx + r, bottom: cy + r, ...describe(spot, series) }
    })
  })
  return { svg: frame.svg, targets }
}

/** A frame whose values run upward, with their axis. */
function uprightFrame(
  picture: Picture,
  legend: Legend,
  width: number,
  values: readonly number[],
  hasZero: boolean,
) {
  const height = legend.height + (width < 500 ? 320 : 380)
  const plain = scaleLinear(extentOf(values, hasZero), [height - 54, legend.height + HEAD]).nice(5)
  const ticks = plain.ticks(5)
  const texts = different(ticks, tick)
  const frame = frameOf(legend, width, height, {
    left: Math.max(...texts.map(widthOf)) + 12,
    bottom: 54,
    right: 12,
  })
  for (const [index, value] of ticks.entries()) {
    const y = plain(value)
    frame.svg.append(draw('line', { x1: frame.left, x2: frame.right, y1: y, y2: y, class: 'chart-grid' }))
    frame.svg.append(
      draw(
        'text',
        { x: frame.left - 8, y: y + 4, 'text-anchor': 'end', class: 'chart-tick' },
        texts[index] ?? '',
      ),
    )
  }
  const middle = (frame.left + frame.right) / 2
  frame.svg.append(
    draw('text', { x: 0, y: frame.top - 18, class: 'chart-title' }, fitted(picture.yTitle, width - 8)),
    draw(
      'text',
      { x: middle, y: height - 10, 'text-anchor': 'middle', class: 'chart-title' },
      fitted(picture.xTitle, width - 8),
    ),
  )
  return { frame, up: plain }
}

function linesAcross(
  { svg, left, right, top, bottom }: Frame,
  across: ReturnType<typeof scaleLinear<number>>,
  title: string,
): void {
  const ticks = across.ticks(Math.max(2, Math.min(6, Math.floor((right - left) / 70))))
  const texts = different(ticks, tick)
  for (const [index, value] of ticks.entries()) {
    const x = across(value)
    svg.append(draw('line', { x1: x, x2: x, y1: top, y2: bottom, class: 'chart-grid' }))
    svg.append(
      draw('text', { x, y: bottom + 18, 'text-anchor': 'middle', class: 'chart-tick' }, texts[index] ?? ''),
    )
  }
  const attributes = { x: (left + right) / 2, y: bottom + 44, 'text-anchor': 'middle', class: 'chart-title' }
  svg.append(draw('text', attributes, fitted(title, right - left)))
}

function barOf({ slot }: Series, x: number, y: number, width: number, height: number): SVGRectElement {
  return draw('rect', {
    x,
    y,
    width: Math.max(width, 1),
    height: Math.max(height, 1),
    class: `chart-bar series-${slot}`,
  })
}
