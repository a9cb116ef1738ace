import type { Row } from 'foldgate/client'
import { make } from './dom.js'
import type { ShapedRows } from './sql.js'
import { fullText, type RowColumn, shortNumber, shortText } from './values.js'

/** Values longer than this, in UTF-16 code units, are folded, so that rows stay short. */
const LONGEST = 120
/** Widths of columns, in digits. */
const [NARROWEST, WIDEST, PADDING] = [8, 44, 4]
/** Digits as wide as the longest type that widens its column; types of STRUCT could have any length. */
const WIDEST_TYPE = 14
/** Rows that decide how wide a column is. */
const MEASURED = 100

type Sort = ShapedRows['sort']

/** The rows that a table shows. */
export interface Shown {
  columns: readonly RowColumn[]
  rows: readonly Row[]
  /** Number of rows before them. */
  from: number
  sort: Sort
}

/**
 * Fills a table. Each row is a grid with columns of the same fixed widths, so that the browser lays out only
 * the rows that are in view: a table would measure every cell first. Without `onSort`, its heads sort nothing.
 */
export function fillTable(table: HTMLTableElement, shown: Shown, onSort?: (sort: Sort) => void): void {
  const { columns, rows, from } = shown
  const last = (from + rows.length).toLocaleString('en')
  const widths = columns.map(column => widthOf(column, rows))
  table.style.setProperty(
    '--columns',
    [last.length + PADDING, ...widths].map(width => `${width}ch`).join(' '),
  )
  const heads = columns.map((column, at) => headOf(column, at, shown.sort, onSort))
  const blank = make('tr', { role: 'row' }, make('th', { role: 'rowheader', scope: 'row' }))
  blank.append(...columns.map(({ kind }) => make('td', { role: 'cell', class: kind })))
  const body = rows.map((row, at) => {
    // Copies of one row take half the time of rows that are made anew.
    const line = blank.cloneNode(true) as HTMLTableRowElement
    const [head, ...cells] = line.children
    if (head) head.textContent = shortNumber(from + at + 1)
    for (const [index, column] of columns.entries())
      fillCell(cells[index] as HTMLElement, column, row[column.name])
    return line
  })
  const corner = make('th', { role: 'columnheader', scope: 'col' }, make('span', { class: 'unseen' }, 'Row'))
  table.replaceChildren(
    make('caption', { class: 'unseen' }, 'Rows of the result'),
    make('thead', { role: 'rowgroup' }, make('tr', { role: 'row' }, corner, ...heads)),
    make('tbody', { role: 'rowgroup' }, ...body),
  )
}

function headOf(column: RowColumn, at: number, sort: Sort, onSort?: (sort: Sort) => void): HTMLElement {
  const isSorted = sort?.column === at
  const direction = isSorted ? (sort.isDescending ? 'descending' : 'ascending') : 'none'
  // Ascending first, then descending, then the order of the query again.
  const next = !isSorted
    ? { column: at, isDescending: false }
    : sort.isDescending
      ? null
      : { ...sort, isDescending: true }
  const arrow = { ascending: '↑', descending: '↓', none: '' }[direction]
  const name = make('span', { class: 'column-name' }, column.name)
  const head = onSort
    ? make(
        'button',
        { type: 'button', title: `${column.name}: sort the whole result`, onclick: () => onSort(next) },
        name,
        make('span', { class: 'arrow', 'aria-hidden': 'true' }, arrow),
      )
    : make('span', { class: 'head' }, name)
  const type = make('span', { class: 'type', title: column.type }, column.type)
  return make(
    'th',
    { role: 'columnheader', scope: 'col', class: column.kind, 'aria-sort': direction },
    head,
    type,
  )
}

function fillCell(cell: HTMLElement, column: RowColumn, value: unknown): void {
  if (value === null || value === undefined) cell.classList.add('null')
  const text = shortText(value, column)
  if (text.length > LONGEST) {
    const start = `${[...text.slice(0, LONGEST)].slice(0, -1).join('')}…`
    cell.append(make('details', {}, make('summary', {}, start), make('div', {}, fullText(value, column))))
    return
  }
  cell.textContent = text
  const full = fullText(value, column)
  if (full !== text || text.length > WIDEST) cell.title = full
}

/** Wide enough for most values; letters are wider than digits, and capitals wider still. */
function widthOf(column: RowColumn, rows: readonly Row[]): number {
  const lengths = rows.slice(0, MEASURED).map(row => shortText(row[column.name], column).length)
  const type = Math.min(WIDEST_TYPE, column.type.length)
  const longest = Math.max(column.name.length + 2, type, ...lengths)
  return Math.min(WIDEST, Math.max(NARROWEST, longest) + PADDING)
}
