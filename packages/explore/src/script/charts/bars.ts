import { scaleBand, scaleLinear } from 'd3-scale'
import { stack, stackOffsetDiverging } from 'd3-shape'
import { linesAcross, uprightFrame } from './axes.js'
import type { Describe, Picture, Series, Spot } from './series.js'
import { type Drawn, draw, extentOf, fitted, frameOf, HEAD, type Legend, zeroLine } from './svg.js'
import { tick } from './units.js'

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

/** Draws bars that lie, with their labels beside them; `widest` is the width of the longest label. */
export function lyingBars(
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

/** Draws bars that stand on their labels. */
export function standingBars(picture: Picture, describe: Describe, legend: Legend, width: number): Drawn {
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

function barOf({ slot }: Series, x: number, y: number, width: number, height: number): SVGRectElement {
  return draw('rect', {
    x,
    y,
    width: Math.max(width, 1),
    height: Math.max(height, 1),
    class: `chart-bar series-${slot}`,
  })
}
