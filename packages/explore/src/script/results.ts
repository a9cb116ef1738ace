import type { Answered, Client, QueryParams, Row, RowsAnswer } from 'foldgate/client'
import { counted, find, findOffered, latest, make, onClick, show } from './dom.js'
import { NO_PAGES, phasesOf, type ReadPages, toldRows, toldShape, wholeMs, withPage } from './paging.js'
import type { RefusalBox } from './refused-statement.js'
import { type ShapedRows, shaped } from './sql.js'
import { recall, remember } from './tab.js'
import { fillTable } from './table.js'
import { columnsOf } from './values.js'
import { type Result, views } from './views.js'

/** The rows of the latest query, one page at a time. */
export interface ResultTable {
  /** Runs a query and shows its first page; calls `onDone` once it is there. */
  run(client: Client, params: QueryParams, onDone: () => void): void
  /** The query with the sort and the filter of the rows shown, if they are of this query; else as it is. */
  asShown(params: QueryParams): QueryParams
  /** Stops a running query, removes the rows and says why there are none. */
  clear(words: string): void
}

interface QueryRun {
  client: Client
  /** The query as it was asked. */
  asked: QueryParams
  /** The query that is sent: with a sort or a filter, `asked` within another SELECT. */
  params: QueryParams
  limit: number
  shape: ShapedRows
  onDone: () => void
  /** Names of the columns of `asked`, once a page of it was read. */
  names: readonly string[]
}

type ResultPage = Answered<RowsAnswer<Row>>

/** Time after which the page says that a query is still running. */
const SLOW_MS = 3000
const IDLE = 'Run a query to see its rows.'
const noRows = () =>
  `The query returned no rows. Loosen its conditions${findOffered('entity') ? ', or choose another point of view' : ''}.`

/** Runs queries and manages the table of rows and the other views. */
export function results(refusal: RefusalBox): ResultTable {
  const [runButton, stopButton] = [find('run'), find('stop')]
  const [previous, next, count] = [find('previous'), find('next'), find('count')]
  const [section, table] = [find('results'), find('rows')]
  const [status, timing] = [find('status'), find('timing')]
  const [title, idle] = [find('results-title'), find('idle')]
  const [scroll, sorted] = [find('scroll'), find('sorted')]
  const [limit, filter] = [find('limit'), find('filter')]
  const others = views()
  const running = latest()
  let paging: ReadPages = NO_PAGES
  /** The run whose rows are in the table. */
  let shown: QueryRun | null = null

  const going = (isGoing: boolean) => {
    show(isGoing, stopButton)
    section.setAttribute('aria-busy', String(isGoing))
    runButton.classList.toggle('going', isGoing)
    // Not `disabled`, because a disabled button loses the focus.
    previous.setAttribute('aria-disabled', String(isGoing || paging.at === 0))
    next.setAttribute('aria-disabled', String(isGoing || paging.at + 1 >= paging.pages.length))
  }

  async function read(run: QueryRun, at: number, before: ReadPages): Promise<void> {
    const signal = running.start()
    const { cursor, from = 0 } = before.pages[at] ?? {}
    refusal.clear()
    going(true)
    status.textContent = 'Running …'
    const slow = setTimeout(() => {
      status.textContent = 'Still running. Stop ends it now; the service ends it when its time is up.'
    }, SLOW_MS)
    if (!shown) idle.replaceChildren(make('p', {}, 'Waiting for the first rows …'))
    try {
      const page = { limit: run.limit, ...(cursor === undefined ? {} : { cursor }) }
      const answer = await run.client.query({ ...run.params, page, include: ['columns'] }, { signal })
      paging = withPage(before, at, answer.items.length, answer.nextCursor)
      shown = run
      display(run, answer, from)
      if (at === 0 && run.params === run.asked) run.onDone()
    } catch (error) {
      // The code that stopped it has updated the page.
      if (signal.aborted) return
      status.textContent = 'Failed'
      // Rows of another query must not look like the answer to this one.
      if (run.asked !== shown?.asked) empty('The query failed: what to change is said beside it.')
      // Places in a sorted or filtered query are not those of the text in the editor.
      refusal.tell(error, () => void read(run, at, before), run.params === run.asked)
    } finally {
      clearTimeout(slow)
      if (!signal.aborted) going(false)
    }
  }

  function display(run: QueryRun, answer: ResultPage, from: number): void {
    const { items: rows, spentMs = {} } = answer
    const { shape } = run
    run.names = answer.columnNames ?? []
    // A table without rows has no heads either.
    const columns = rows.length > 0 ? columnsOf(run.names, typesIn(answer)) : []
    // The heads are replaced, so the focus goes to the new one in the place of the old one.
    const focused = [...(table.tHead?.rows[0]?.cells ?? [])].findIndex(head =>
      head.contains(document.activeElement),
    )
    fillTable(table, { columns, rows, from, sort: shape.sort }, sort => reshape(run, { ...shape, sort }))
    if (focused > 0) table.querySelectorAll<HTMLButtonElement>('thead button')[focused - 1]?.focus()
    const words = toldRows(paging, rows.length)
    title.textContent = words
    idle.replaceChildren(
      make(
        'p',
        {},
        shape.filter === '' ? noRows() : 'No row contains this text: clear the filter to see all.',
      ),
    )
    show(rows.length === 0, idle)
    show(paging.pages.length > 1, find('turning'))
    show(paging.total === null, count)
    scroll.scrollTo(0, 0)
    show(true, filter)
    sorted.textContent = toldShape(shape, run.names)
    timing.textContent = phasesOf(spentMs)
    status.replaceChildren(`Done in ${wholeMs(spentMs)} ms`, make('span', { class: 'unseen' }, `. ${words}`))
    const params = { ...run.params, page: { limit: run.limit } }
    const shownNow: Result | null = rows.length > 0 ? { columns, rows, params } : null
    others.offer(shownNow)
  }

  function reshape(run: QueryRun, shape: ShapedRows): void {
    const sql = shaped(run.asked.sql, run.names, shape)
    const params = sql === run.asked.sql ? run.asked : { ...run.asked, sql: sql ?? '' }
    if (sql !== null) void read({ ...run, params, shape }, 0, NO_PAGES)
  }

  function empty(words: string): void {
    shown = null
    paging = NO_PAGES
    title.textContent = 'Results'
    sorted.textContent = ''
    timing.textContent = ''
    table.replaceChildren()
    show(false, filter)
    idle.replaceChildren(make('p', {}, words))
    show(true, idle)
    show(false, find('turning'))
    others.offer(null)
  }

  /** Counting may take as long as the query itself, so the page does it only when it is asked. */
  async function countRows({ client, params, limit }: QueryRun): Promise<void> {
    const signal = running.start()
    refusal.clear()
    going(true)
    status.textContent = 'Counting …'
    try {
      const wanted = { ...params, page: { limit }, include: ['total' as const] }
      const { total, warnings } = await client.query(wanted, { signal })
      const [warning] = warnings
      status.textContent = total === undefined ? (warning?.message ?? '') : `${counted(total, 'row')} in all`
      if (total === undefined) return
      paging = { ...paging, total }
      title.textContent = toldRows(paging, table.tBodies[0]?.rows.length ?? 0)
      if (document.activeElement === count) next.focus()
      show(false, count)
    } catch (error) {
      if (signal.aborted) return
      status.textContent = 'Failed'
      refusal.tell(error, () => shown && countRows(shown), params === shown?.asked)
    } finally {
      if (!signal.aborted) going(false)
    }
  }

  const turn = (button: HTMLButtonElement, step: number) =>
    onClick(button, () => {
      if (shown && button.getAttribute('aria-disabled') !== 'true')
        return read(shown, paging.at + step, paging)
    })
  turn(previous, -1)
  turn(next, 1)
  onClick(count, () => shown && countRows(shown))
  onClick(stopButton, () => {
    running.stop()
    runButton.focus()
    going(false)
    status.textContent = 'Stopped'
    if (!shown) empty(IDLE)
  })
  limit.value = recall('limit') ?? '100'
  limit.addEventListener('change', () => remember('limit', limit.value))
  const filterRows = () => {
    if (shown && shown.shape.filter !== filter.value) reshape(shown, { ...shown.shape, filter: filter.value })
  }
  filter.addEventListener('change', filterRows)
  filter.addEventListener('search', filterRows) // also fires when a click empties the field
  empty(IDLE)

  return {
    run(client, params, onDone) {
      filter.value = ''
      const shape = { sort: null, filter: '' }
      const run: QueryRun = {
        client,
        asked: params,
        params,
        limit: Number(limit.value),
        shape,
        names: [],
        onDone,
      }
      void read(run, 0, NO_PAGES)
    },
    asShown(params) {
      return shown && JSON.stringify(shown.asked) === JSON.stringify(params) ? shown.params : params
    },
    clear(words) {
      running.stop()
      going(false)
      empty(words || IDLE)
      status.textContent = ''
      refusal.clear()
    },
  }
}

const typesIn = ({ columns = [] }: ResultPage) => columns.map(({ type }) => type)
