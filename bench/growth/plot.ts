/** A line in a plot. */
export interface Series {
  name: string
  points: readonly { x: number; y: number }[]
}

const [WIDTH, HEIGHT] = [720, 440]
const [LEFT, RIGHT, TOP, BOTTOM] = [70, 190, 20, 55]
/** Distinguishable on white and on black, and by colour-blind readers. */
const COLOURS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#b8860b', '#56b4e9']
const STYLE = `
  svg { --ink: #1f2328; --paper: #ffffff; --grid: #d8dee4 }
  @media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --paper: #0d1117; --grid: #30363d } }
  text { font: 12px system-ui, sans-serif; fill: var(--ink) }
  .grid { stroke: var(--grid) }
  .paper { fill: var(--paper) }
  polyline { fill: none; stroke-width: 2 }`

/** Draws lines over two logarithmic axes as SVG; values must be above 0. */
export function plot(title: string, axes: { x: string; y: string }, series: readonly Series[]): string {
  const all = series.flatMap(({ points }) => points)
  const xs = decades(all.map(({ x }) => x))
  const ys = decades(all.map(({ y }) => y))
  const right = WIDTH - RIGHT
  const bottom = HEIGHT - BOTTOM
  const across = place(xs, LEFT, right)
  const up = place(ys, bottom, TOP)
  const marks = [
    ...xs.map(x => {
      const at = across(x)
      return `${line(at, TOP, at, bottom)}${text(at, bottom + 18, 'middle', short(x))}`
    }),
    ...ys.map(y => `${line(LEFT, up(y), right, up(y))}${text(LEFT - 8, up(y) + 4, 'end', short(y))}`),
  ]
  const lines = series.map(({ name, points }, index) => {
    const colour = COLOURS[index % COLOURS.length] as string
    const path = points.map(({ x, y }) => `${across(x)},${up(y)}`).join(' ')
    const dots = points.map(({ x, y }) => `<circle cx="${across(x)}" cy="${up(y)}" r="3.5" fill="${colour}"/>`)
    const key = TOP + 14 + 22 * index
    const sample = `<rect x="${right + 14}" y="${key - 9}" width="14" height="10" fill="${colour}"/>`
    return `<polyline points="${path}" stroke="${colour}"/>${dots.join('')}${sample}${text(right + 34, key, 'start', name)}`
  })
  const middle = (TOP + bottom) / 2
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<rect class="paper" width="${WIDTH}" height="${HEIGHT}"/>
${[...marks, ...lines].join('\n')}
${text((LEFT + right) / 2, HEIGHT - 12, 'middle', axes.x)}
<g transform="translate(18 ${middle}) rotate(-90)">${text(0, 0, 'middle', axes.y)}</g>
</svg>
`
}

/** The powers of ten that enclose all values. */
function decades(values: readonly number[]): number[] {
  const low = Math.floor(Math.log10(Math.min(...values)))
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))))
  return Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index))
}

function place(marks: readonly number[], from: number, to: number): (value: number) => number {
  const low = Math.log10(marks[0] as number)
  const high = Math.log10(marks.at(-1) as number)
  return value => Math.round(10 * (from + ((Math.log10(value) - low) / (high - low)) * (to - from))) / 10
}

function line(x1: number, y1: number, x2: number, y2: number): string {
  return `<line class="grid" x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}"/>`
}

function text(x: number, y: number, anchor: 'start' | 'middle' | 'end', content: string): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`
}

function short(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`
  return value >= 1e3 ? `${value / 1e3} k` : String(Number(value.toPrecision(1)))
}

function escaped(content: string): string {
  return content.replace(/[&<>]/g, character => `&#${character.charCodeAt(0)};`)
}
