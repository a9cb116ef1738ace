import type { ScalePower } from 'd3-scale'
import { tick } from './units.js'

const NAMESPACE = 'http://www.w3.org/2000/svg'

type Attributes = Readonly<Record<string, string | number>>

/** Creates an SVG element. */
export function draw<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): SVGElementTagNameMap[Name] {
  const element = document.createElementNS(NAMESPACE, name)
  for (const [key, value] of Object.entries(attributes)) {
    element.setAttribute(key, typeof value === 'number' ? String(Math.round(value * 100) / 100) : value)
  }
  element.append(...children)
  return element
}

/** Size of the letters of a chart in pixels, which the stylesheet repeats. */
export const LETTERS = 12

/** Room for the title of an axis above the rectangle between the axes, in pixels. */
export const HEAD = 32

let measuring: CanvasRenderingContext2D | null = null

/** Width of a label in pixels. */
export function widthOf(text: string): number {
  measuring ??= document.createElement('canvas').getContext('2d')
  if (!measuring) return text.length * LETTERS * 0.55
  measuring.font = `${LETTERS}px ${getComputedStyle(document.body).fontFamily}`
  return measuring.measureText(text).width
}

/** The text, shortened with an ellipsis if it is wider than `width` pixels. */
export function fitted(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  let [least, most] = [0, text.length]
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if (widthOf(`${text.slice(0, middle).trimEnd()}…`) <= width) least = middle
    else most = middle - 1
  }
  return `${text.slice(0, least).trimEnd()}…`
}

/** A part of a drawing that the pointer can be on, and what to say about it. */
export interface Hover {
  left: number
  top: number
  right: number
  bottom: number
  title: string
  lines: readonly (readonly [string, string])[]
}

/** How many rows of 20 pixels an entry list takes, with the place of each entry. */
export interface Legend {
  element: SVGGElement
  height: number
}

/** Names of series with their colours, in rows that fit the width. Empty for a single one without a title. */
export function legendOf(
  title: string,
  entries: readonly { name: string; slot: number }[],
  width: number,
): Legend {
  const element = draw('g')
  if (entries.length === 0 || (entries.length === 1 && title === '')) return { element, height: 0 }
  let [x, y] = [0, 8]
  const advance = (step: number) => {
    if (x > 0 && x + step > width) [x, y] = [0, y + 20]
  }
  if (title !== '') {
    const text = fitted(title, width)
    element.append(draw('text', { x, y: y + 4, class: 'chart-title' }, text))
    x += widthOf(text) * 1.08 + 14
  }
  for (const { name, slot } of entries) {
    const text = fitted(name, Math.min(220, width - 18))
    advance(18 + widthOf(text))
    element.append(
      draw('rect', { x, y: y - 5, width: 10, height: 10, rx: 2, class: `chart-swatch series-${slot}` }),
    )
    element.append(draw('text', { x: x + 16, y: y + 4 }, text))
    x += 16 + widthOf(text) + 18
  }
  return { element, height: y + 18 }
}

/** A number as precise as an axis needs: ticks that are short and all different. */
export function different(numbers: readonly number[], format: (number: number) => string): string[] {
  const texts = numbers.map(format)
  return new Set(texts).size === texts.length ? texts : numbers.map(String)
}

/** A drawing with what the pointer finds in it. */
export interface Drawn {
  svg: SVGSVGElement
  targets: Hover[]
}

/** A drawing and the rectangle between its axes. */
export interface ChartArea {
  svg: SVGSVGElement
  left: number
  top: number
  right: number
  bottom: number
}

/** An empty drawing under its legend. */
export function frameOf(
  legend: Legend,
  width: number,
  height: number,
  margin: { left: number; bottom: number; right: number },
) {
  const svg = draw(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, class: 'chart-drawing' },
    legend.element,
  )
  return {
    svg,
    left: margin.left,
    top: legend.height + HEAD,
    right: width - margin.right,
    bottom: height - margin.bottom,
  }
}

/** The line that values start from. */
export function zeroLine(x1: number, y1: number, x2: number, y2: number): SVGLineElement {
  return draw('line', { x1, y1, x2, y2, class: 'chart-axis' })
}

/** Circles with what their sizes stand for. */
export function sizesOf(
  title: string,
  radius: ScalePower<number, number>,
  top: number,
  width: number,
): SVGGElement {
  const group = draw('g', { transform: `translate(0 ${top})` })
  group.append(draw('text', { x: 0, y: 26, class: 'chart-title' }, title))
  let x = widthOf(title) * 1.08 + 16
  const most = radius.domain()[1] ?? 1
  for (const value of [most / 10, most / 2, most].map(part => Number(part.toPrecision(1)))) {
    const [r, text] = [radius(value), tick(value)]
    if (x + 2 * r + 6 + widthOf(text) > width) break
    group.append(draw('circle', { cx: x + r, cy: 22, r, class: 'chart-size' }))
    group.append(draw('text', { x: x + 2 * r + 6, y: 26 }, text))
    x += 2 * r + widthOf(text) + 24
  }
  return group
}

/** The least and the most of any number of values. */
export function boundsOf(values: readonly number[]): [number, number] {
  return values.reduce(
    ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
  )
}

/** The least and the most of an axis, which differ even if the values do not. */
export function extentOf(values: readonly number[], hasZero: boolean): [number, number] {
  const [least, most] = boundsOf(hasZero ? [0, ...values] : values)
  if (least < most) return [least, most]
  return least === 0 ? [0, 1] : [least - Math.abs(least) / 2, least + Math.abs(least) / 2]
}
