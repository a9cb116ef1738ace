import { scaleLinear } from 'd3-scale'
import type { Picture } from './series.js'
import {
  type ChartArea,
  different,
  draw,
  extentOf,
  fitted,
  frameOf,
  HEAD,
  type Legend,
  widthOf,
} from './svg.js'
import { tick } from './units.js'

/** A frame whose values run upward, with their axis. */
export function uprightFrame(
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

/** Draws an axis of values that run to the right, with its grid and its title. */
export function linesAcross(
  { svg, left, right, top, bottom }: ChartArea,
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
