import { scaleLinear, scaleUtc } from 'd3-scale'
import { line } from 'd3-shape'
import { type RowColumn, shortText } from '../values.js'
import { uprightFrame } from './axes.js'
import { lyingBars, standingBars } from './bars.js'
import type { Describe, Picture, Spot } from './series.js'
import {
  boundsOf,
  type Drawn,
  different,
  draw,
  extentOf,
  type Legend,
  legendOf,
  widthOf,
  zeroLine,
} from './svg.js'
import { tick } from './units.js'

/** Draws a picture this wide. */
export function plotOf(picture: Picture, columns: readonly RowColumn[], width: number): Drawn {
  const describe: Describe = ({ row }, { name }) => {
    const { x, values, colour } = picture.plot
    const shown = [colour === null && picture.plot.mark !== 'points' ? name : values[0], x, colour]
    const others = columns.filter(({ name, kind }) => !shown.includes(name) && kind !== 'nested')
    const first = columns.filter(({ name }) => shown.includes(name))
    const told = (column: RowColumn) => [column.name, shortText(row[column.name], column)] as const
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

/** Lines or points. */
function spotsOf(picture: Picture, describe: Describe, legend: Legend, width: number): Drawn {
  const [isLine, isTime] = [picture.plot.mark === 'lines', picture.across === 'time']
  const all = picture.series.flatMap(({ spots }) => spots)
  const values = all.map(({ value }) => value)
  // The zero is of use unless it squeezes the lines together.
  const [least, most] = boundsOf(values)
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
