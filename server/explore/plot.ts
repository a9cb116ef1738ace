import type uPlot from 'uplot'
import { type Series, shortNumber } from './series.js'

/** How points are drawn. */
export type Drawing = 'bars' | 'line' | 'points'

const BAR_PIXELS = 26
const AXIS_PIXELS = 40
const HEIGHT = 320
const FONT = '12px system-ui, sans-serif'
/** Share of the width that the names of bars may take. */
const NAMES_SHARE = 0.42
const GAP = 12

/** Colours of the page in its current scheme, light or dark. */
interface Colours {
  ink: string
  line: string
  accent: string
  tint: string
}

/** Options of the plot library for a series. `onPoint` gets the index of the point under the pointer, or null. */
export function plotOptions(
  series: Series,
  drawing: Drawing,
  width: number,
  onPoint: (index: number | null) => void,
  bars: uPlot.Series.PathBuilder | undefined,
): uPlot.Options {
  const colours = coloursNow()
  const isBars = drawing === 'bars'
  const axis = { stroke: colours.ink, font: FONT, grid: { stroke: colours.line, width: 1 }, ticks: { show: false } }
  const names = isBars ? fitted(series.names, width * NAMES_SHARE) : null
  const place: uPlot.Axis = names
    ? {
        ...axis,
        side: 3,
        gap: GAP,
        size: names.width + GAP,
        splits: () => series.xs,
        values: () => names.texts,
        grid: { show: false },
      }
    : series.scale === 'time'
      ? axis
      : { ...axis, values: (_, splits) => splits.map(shortNumber) }
  return {
    width,
    height: isBars ? series.names.length * BAR_PIXELS + AXIS_PIXELS + GAP : HEIGHT,
    padding: [GAP, 2 * GAP, 0, isBars ? 0 : GAP],
    tzDate: seconds => new Date(seconds * 1000 + new Date(seconds * 1000).getTimezoneOffset() * 60_000),
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, x: !isBars, y: false, points: { show: !isBars } },
    scales: {
      x: isBars
        ? { time: false, ori: 1, dir: -1, range: [-0.6, series.xs.length - 0.4] }
        : { time: series.scale === 'time', range: (_, least, most) => rangeOf(least, most, false) },
      y: { ori: isBars ? 0 : 1, range: (_, least, most) => rangeOf(least, most, isBars) },
    },
    axes: [
      place,
      {
        ...axis,
        side: isBars ? 2 : 3,
        size: isBars ? AXIS_PIXELS : 64,
        space: isBars ? 64 : 40,
        values: (_, splits) => splits.map(shortNumber),
      },
    ],
    series: [
      {},
      {
        stroke: colours.accent,
        fill: isBars ? colours.accent : drawing === 'line' ? colours.tint : 'transparent',
        width: drawing === 'line' ? 2 : 0,
        points: {
          show: drawing === 'points' || series.xs.length < 40,
          size: 7,
          fill: colours.accent,
          stroke: colours.accent,
        },
        ...(isBars && bars ? { paths: bars, points: { show: false } } : {}),
        ...(drawing === 'points' ? { paths: () => null } : {}),
      },
    ],
    hooks: { setCursor: [plot => onPoint(plot.cursor.idx ?? null)] },
  }
}

/** The range of an axis, with 5 % of room around the values. For bars it includes 0, without room if it ends at 0. */
function rangeOf(least: number, most: number, isBars: boolean): [number, number] {
  const [low, high] = isBars ? [Math.min(0, least), Math.max(0, most)] : [least, most]
  const room = (high - low || Math.abs(high) || 1) * 0.05
  return [isBars && low === 0 ? 0 : low - room, isBars && high === 0 ? 0 : high + room]
}

function coloursNow(): Colours {
  const style = getComputedStyle(document.body)
  const [ink = '', line = '', accent = '', tint = ''] = ['--soft', '--line', '--accent', '--tint'].map(name =>
    style.getPropertyValue(name),
  )
  return { ink, line, accent, tint }
}

/** Names shortened to at most `most` pixels, and the width of the widest. */
function fitted(names: readonly string[], most: number): { texts: string[]; width: number } {
  const pen = document.createElement('canvas').getContext('2d')
  if (!pen) return { texts: [...names], width: most }
  pen.font = FONT
  const texts = names.map(name => {
    if (pen.measureText(name).width <= most) return name
    let length = name.length
    while (length > 1 && pen.measureText(`${name.slice(0, length)}…`).width > most) length--
    return `${name.slice(0, length)}…`
  })
  return { texts, width: Math.ceil(Math.max(0, ...texts.map(text => pen.measureText(text).width))) }
}
