import { make, show } from '../dom.js'
import { choose, type Mark, optionsOf, type Plot, whyNot } from './choose.js'
import { type Facts, factsOf } from './columns.js'
import { controlOf, type Drawing, stageIn } from './drawing.js'
import { plotOf } from './plot.js'
import { pictureOf } from './series.js'

const MARKS: Readonly<Record<Mark, string>> = { bars: 'Bars', lines: 'Lines', points: 'Points' }
/** Stands for no colour; names of columns have a prefix, so none can be mistaken for it. */
const NONE = ''
const column = (name: string) => `=${name}`
const nameIn = (value: string) => value.slice(1)

/** Draws in `place`, an empty div, and fills it with controls, a figure and a caption. */
export function chartIn(place: HTMLElement): Drawing {
  let facts: Facts | null = null
  let plot: Plot | null = null

  const stage = stageIn(place, width => {
    if (!facts || !plot) return
    const picture = pictureOf(facts, plot)
    stage.present(plotOf(picture, facts.columns, width), picture.said)
  })

  const wish = (wished: Partial<Plot>) => {
    if (facts) plot = choose(facts, wished) ?? plot
    update()
  }
  /** The plot without some of its parts, which are chosen anew. */
  const without = (...parts: (keyof Plot)[]): Partial<Plot> =>
    Object.fromEntries(Object.entries(plot ?? {}).filter(([part]) => !parts.includes(part as keyof Plot)))

  const mark = controlOf('Kind', value =>
    wish({ ...without('x', 'colour', 'isStacked'), mark: value as Mark }),
  )
  const x = controlOf('By', value => wish({ ...without('colour', 'isStacked'), x: nameIn(value) }))
  const unit = controlOf('Unit', value =>
    wish({ ...without('colour', 'isStacked'), unit: value === NONE ? null : nameIn(value) }),
  )
  const colour = controlOf('Series', value =>
    wish({ ...without('isStacked'), colour: value === NONE ? null : nameIn(value) }),
  )
  const stacked = controlOf('Layout', value => wish({ ...plot, isStacked: value === 'stacked' }))
  const value = controlOf('Value', name => wish({ ...without('isStacked', 'unit'), values: [nameIn(name)] }))
  const values = valuesOf(chosen => {
    // The measure checked last leads: measures that cannot share its axis are dropped.
    const first = chosen.find(name => !plot?.values.includes(name)) ?? chosen[0]
    if (first !== undefined)
      wish({ ...without('isStacked', 'unit'), values: [first, ...chosen.filter(name => name !== first)] })
    else update()
  })
  const controls = [mark, x, value, values, unit, colour, stacked]
  stage.controls.append(...controls.map(({ element }) => element))

  function update(): void {
    if (!facts || !plot) return
    const options = optionsOf(facts, plot)
    const columns = (names: readonly string[]) => names.map(name => [column(name), name] as const)
    mark.offer(
      options.marks.map(one => [one, MARKS[one]]),
      plot.mark,
    )
    x.offer(columns(options.xs), column(plot.x))
    const isOne = plot.mark === 'points' || plot.colour !== null
    value.offer(isOne ? columns(options.values) : [], column(plot.values[0] ?? ''))
    values.offer(isOne ? [] : options.values, plot.values)
    unit.offer(
      options.units.map(one => [
        one.unit === null ? NONE : column(one.unit),
        `${one.unit ?? 'none'} (${one.count})`,
      ]),
      typeof plot.unit === 'string' ? column(plot.unit) : NONE,
    )
    const nameOf = (name: string | null) => [name === null ? NONE : column(name), name ?? 'None'] as const
    colour.offer(options.colours.map(nameOf), plot.colour === null ? NONE : column(plot.colour))
    const layouts = [['stacked', 'Stacked'] as const, ['grouped', 'Side by side'] as const]
    stacked.offer(options.canStack ? layouts : [], plot.isStacked ? 'stacked' : 'grouped')
    stage.refresh()
  }

  return {
    offer(columns, rows, told) {
      stage.rows = told
      const before = facts?.columns.map(({ name }) => name).join('\n')
      facts = factsOf(columns, rows)
      // The next page of the same query keeps what was chosen.
      const isSame = before === facts.columns.map(({ name }) => name).join('\n')
      plot = choose(facts, isSame ? (plot ?? {}) : {})
      if (plot) update()
      else stage.explain(whyNot(facts))
      return plot !== null
    },
    clear() {
      facts = plot = null
      stage.explain('')
    },
  }
}

/** A folded list of measures, of which at least one is checked. */
function valuesOf(onChoose: (names: string[]) => void) {
  const summary = make('summary')
  const list = make('div', { class: 'chart-choices', role: 'group', 'aria-label': 'Values' })
  const element = make('details', { class: 'chart-values' }, summary, list)
  let offered: readonly string[] = []
  let boxes: HTMLInputElement[] = []
  list.addEventListener('change', () => onChoose(offered.filter((_, at) => boxes[at]?.checked)))
  return {
    element,
    offer(names: readonly string[], chosen: readonly string[]) {
      // The boxes stay when their names do, and with them the focus.
      if (names.join('\n') !== offered.join('\n')) {
        offered = names
        boxes = names.map(() => make('input', { type: 'checkbox' }))
        const labels = names.map((name, at) =>
          make('label', { class: 'choice' }, boxes[at] as Node, make('span', {}, name)),
        )
        list.replaceChildren(...labels)
      }
      for (const [at, box] of boxes.entries()) box.checked = chosen.includes(offered[at] ?? '')
      summary.textContent = chosen.length === 1 ? `Values: ${chosen[0]}` : `Values: ${chosen.length} columns`
      show(names.length > 1, element)
    },
  }
}
