import type { Row } from 'foldgate'
import { areNumbers, cellOf } from './cells.js'
import { make } from './dom.js'

/** Values longer than this, in UTF-16 code units, are folded, so that rows stay short. */
const LONGEST = 240
const FOLDED = 120

/** Fills a table with a page of rows, which `from` rows precede. Numbers are right-aligned. */
export function fillTable(
  table: HTMLTableElement,
  columns: readonly string[],
  rows: readonly Row[],
  from: number,
): void {
  const numeric = new Set(columns.filter(name => areNumbers(rows.map(row => row[name]))))
  const sided = (name: string, kind = '') => ({ class: numeric.has(name) ? `${kind} number` : kind })
  const heads = columns.map(name => make('th', { scope: 'col', ...sided(name) }, make('div', {}, name)))
  const body = rows.map((row, at) => {
    const cells = columns.map(name => {
      const { text, kind } = cellOf(row[name])
      return make('td', sided(name, kind), wordsOf(text))
    })
    return make('tr', {}, make('th', { scope: 'row' }, (from + at + 1).toLocaleString('en')), ...cells)
  })
  const corner = make('th', { scope: 'col' }, make('span', { class: 'unseen' }, 'Row'))
  table.replaceChildren(
    make('caption', { class: 'unseen' }, 'Rows of the result'),
    make('thead', {}, make('tr', {}, corner, ...heads)),
    make('tbody', {}, ...body),
  )
}

function wordsOf(text: string): HTMLElement {
  if (text.length <= LONGEST) return make('div', {}, text)
  const start = `${[...text.slice(0, FOLDED)].slice(0, -1).join('')}…`
  return make('details', {}, make('summary', {}, start), make('div', {}, text))
}
