import type { Row } from 'foldgate/client'
import { make, onClick, show } from '../dom.js'
import { save } from '../export.js'
import type { RowColumn } from '../values.js'
import { pngOf, svgFileOf } from './save.js'
import { type Drawn, draw, type Hover, LETTERS } from './svg.js'

/** A chart or a map of a page of rows. */
export interface Drawing {
  /**
   * Takes the rows of a page, and which these are, in words. Returns whether they can be drawn; they are drawn once the
   * place is visible.
   */
  offer(columns: readonly RowColumn[], rows: readonly Row[], told: string): boolean
  /** Forgets the rows. */
  clear(): void
}

/** The parts of a drawing: its controls, the figure with its caption, and the buttons that save it. */
export interface Stage {
  controls: HTMLElement
  /** The element that holds the drawing, for pointers. */
  box: HTMLElement
  /** Draws again, at once if the place is visible and else as soon as it is. */
  refresh(): void
  /** Which rows are drawn, in words: a line below the drawing, which files have, too. */
  rows: string
  /** Shows a drawing, and what it is in words. */
  present(drawn: Drawn, said: string): void
  /** Shows a sentence in place of a drawing. */
  explain(words: string): void
  /** Removes the tooltip. */
  quiet(): void
}

/** Largest distance between the pointer and what its tooltip describes, in pixels. */
const REACH = 40

/** Fills a place. `redraw` gets the width that there is, in pixels, and calls `present`. */
export function stageIn(place: HTMLElement, redraw: (width: number) => void): Stage {
  const controls = make('div', { class: 'chart-controls' })
  const box = make('div', { class: 'chart-box' })
  const tip = make('div', { class: 'chart-tip', 'aria-hidden': 'true', hidden: true })
  const caption = make('figcaption', { class: 'chart-caption' })
  const [png, svg] = [saveButton('PNG'), saveButton('SVG')]
  const tools = make('div', { class: 'chart-tools' }, png, svg)
  const figure = make(
    'figure',
    { class: 'chart-figure' },
    make('div', { class: 'chart-view' }, box, tip),
    caption,
    tools,
  )
  const reason = make('p', { class: 'chart-reason soft' })
  place.replaceChildren(controls, figure, reason)
  let shown: Drawn | null = null
  let isStale = false
  let drawnAt = 0

  const refresh = () => {
    isStale = true
    const width = Math.floor(box.clientWidth)
    if (width === 0) return
    isStale = false
    drawnAt = width
    redraw(width)
  }
  new ResizeObserver(() => {
    if (isStale || Math.floor(box.clientWidth) !== drawnAt) refresh()
  }).observe(box)

  const quiet = () => show(false, tip)
  const point = (event: PointerEvent) => {
    const edge = box.getBoundingClientRect()
    const target = shown && nearest(shown.targets, event.clientX - edge.left, event.clientY - edge.top)
    if (target) tell(tip, target, box)
    else quiet()
  }
  box.addEventListener('pointermove', point)
  box.addEventListener('pointerdown', point)
  box.addEventListener('pointerleave', quiet)
  const link = make('a')
  const name = (ending: string) =>
    `${(caption.textContent ?? '').split(/[,.]? \d|\. /)[0]?.replace(/\W+/g, '-')}.${ending}`
  onClick(svg, () => shown && save(link, { blob: svgFileOf(shown.svg), name: name('svg') }))
  onClick(png, async () => shown && save(link, { blob: await pngOf(shown.svg), name: name('png') }))

  const empty = (isEmpty: boolean) => {
    show(!isEmpty, controls, figure)
    show(isEmpty, reason)
  }
  empty(true)
  return {
    controls,
    box,
    quiet,
    refresh() {
      empty(false)
      refresh()
    },
    rows: '',
    present(drawn, said) {
      shown = drawn
      foot(drawn.svg, this.rows)
      quiet()
      drawn.svg.setAttribute('role', 'img')
      drawn.svg.setAttribute('aria-label', said)
      box.replaceChildren(drawn.svg)
      caption.textContent = said
    },
    explain(words) {
      shown = null
      isStale = false
      box.replaceChildren()
      reason.textContent = words
      empty(true)
    },
  }
}

/** Adds a line below a drawing. */
function foot(svg: SVGSVGElement, words: string): void {
  const height = Number(svg.getAttribute('height')) + LETTERS + 8
  svg.append(draw('text', { x: 0, y: height - 4, class: 'chart-rows' }, words))
  svg.setAttribute('height', String(height))
  svg.setAttribute('viewBox', `0 0 ${svg.getAttribute('width')} ${height}`)
}

function saveButton(format: string): HTMLButtonElement {
  return make('button', { type: 'button', class: 'small' }, `Save as ${format}`)
}

/** The target under the pointer, or the nearest one in reach. */
function nearest(targets: readonly Hover[], x: number, y: number): Hover | null {
  let [best, least]: [Hover | null, number] = [null, REACH]
  for (const target of targets) {
    const across = Math.max(target.left - x, 0, x - target.right)
    const down = Math.max(target.top - y, 0, y - target.bottom)
    // Of several under the pointer, the centre decides.
    const centre = Math.hypot(x - (target.left + target.right) / 2, y - (target.top + target.bottom) / 2)
    const distance = Math.hypot(across, down) + centre / 1e4
    if (distance < least) [best, least] = [target, distance]
  }
  return best
}

function tell(tip: HTMLElement, { title, lines, left, right, top }: Hover, box: HTMLElement): void {
  const heading = title === '' ? [] : [make('p', { class: 'chart-tip-title' }, title)]
  const rows = lines.map(([name, value]) => make('p', {}, make('span', {}, name), make('strong', {}, value)))
  tip.replaceChildren(...heading, ...rows)
  show(true, tip)
  const middle = (left + right) / 2
  const over = top - tip.offsetHeight - 8
  tip.style.left = `${Math.max(0, Math.min(box.clientWidth - tip.offsetWidth, middle - tip.offsetWidth / 2))}px`
  tip.style.top = `${over >= 0 ? over : top + 24}px`
}

/** A labelled list to choose from. */
export interface Picker {
  element: HTMLElement
  /**
   * Offers these values with their words. With a single one
   * there is nothing to choose, so the control is hidden.
   */
  offer(options: readonly (readonly [value: string, words: string])[], chosen: string): void
}

/** Makes a control; `onChoose` gets the value chosen. */
export function controlOf(words: string, onChoose: (value: string) => void): Picker {
  const select = make('select')
  const element = make('label', { class: 'chart-control' }, make('span', {}, words), select)
  select.addEventListener('change', () => onChoose(select.value))
  return {
    element,
    offer(options, chosen) {
      select.replaceChildren(...options.map(([value, text]) => make('option', { value }, text)))
      select.value = chosen
      show(options.length > 1, element)
    },
  }
}

/**
 * Dragging moves; two fingers, or the wheel with Ctrl, zoom.
 * The wheel alone scrolls the page, as everywhere on it.
 */
export function followPointers(
  box: HTMLElement,
  zoomBy: (factor: number, x: number, y: number) => void,
  moveBy: (x: number, y: number) => void,
): void {
  const held = new Map<number, { x: number; y: number }>()
  const spread = () => {
    const [one, other] = [...held.values()]
    return one && other ? Math.hypot(one.x - other.x, one.y - other.y) : 0
  }
  box.addEventListener('pointerdown', ({ pointerId, offsetX: x, offsetY: y }) => {
    held.set(pointerId, { x, y })
    box.setPointerCapture(pointerId)
  })
  box.addEventListener('pointermove', ({ pointerId, clientX, clientY }) => {
    const before = held.get(pointerId)
    if (!before) return
    const edge = box.getBoundingClientRect()
    const [x, y] = [clientX - edge.left, clientY - edge.top]
    const apart = spread()
    held.set(pointerId, { x, y })
    if (held.size === 1) moveBy(x - before.x, y - before.y)
    else if (apart > 0) zoomBy(spread() / apart, x, y)
  })
  for (const end of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
    box.addEventListener(end, ({ pointerId }) => void held.delete(pointerId))
  box.addEventListener(
    'wheel',
    event => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const edge = box.getBoundingClientRect()
      zoomBy(2 ** (-event.deltaY / 200), event.clientX - edge.left, event.clientY - edge.top)
    },
    { passive: false },
  )
}
