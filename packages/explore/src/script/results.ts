import type { Answered, Client, QueryParams, Row, RowsAnswer } from 'foldgate/client'
import { counted, find, findOffered, latest, make, onClick, show } from './dom.js'
import type { HintList } from './hints.js'
import { NO_PAGES, phasesOf, type ReadPages, toldRows, toldShape, wholeMs, withPage } from './paging.js'
import type { RefusalBox } from './refused-statement.js'
import { hasLimit, type ShapedRows, shaped } from './sql.js'
import { recall, remember } from './tab.js'
import { fillTable } from './table.js'
import { columnsOf, type RowColumn } from './values.js'
import { views } from './views.js'

/** The rows of the latest query, one page at a time. */
export interface ResultTable {
  /**
   * Runs a query and shows its first page; calls `onDone` once it is there. `keepsShape`: the sort and the filter of
   * the rows shown stay. `snapshot`: the one to read, which the calls that users copy do not name.
   */
  run(client: Client, params: QueryParams, asked: Asked, onDone: () => void): void
  /** Marks the rows as those of an earlier question unless it is this one. */
  follow(question: Question): void
  /** Whether the rows are of the same statement, in another view or in pages of another size, and the last run worked. */
  mayFollow(question: Question): boolean
  /** The query whose rows are shown, or are about to be; null without any. */
  shown(): { client: Client; params: QueryParams; columns: readonly RowColumn[]; isEarlier: boolean } | null
  /** Stops a running query, removes the rows and says why there are none. */
  clear(words: string): void
}

/** How a query is asked. */
export interface Asked {
  question: Question
  keepsShape: boolean
  snapshot: string | undefined
  /** The path of the call below the version. That of a named query has rows which cannot be sorted or filtered. */
  path: string
}

/** Path of the call of a statement. */
export const OF_STATEMENTS = 'api/projects/query'

/** What the controls of the page ask, as texts to compare. */
export interface Question {
  /** The project, the statement and its values. */
  statement: string
  /** The point of view, the rows per page and the snapshot. */
  view: string
}

interface QueryRun {
  client: Client
  question: Question
  /** The query as it was asked. */
  asked: QueryParams
  /** The query that is sent: with a sort or a filter, `asked` within another SELECT, of the snapshot of the rows. */
  params: QueryParams
  limit: number
  path: string
  shape: ShapedRows
  /** The snapshot that is read; without one, that of the first page. */
  snapshot?: string | undefined
  onDone: () => void
  /** Names of the columns of `asked`, once a page of it was read. */
  names: readonly string[]
}

type ResultPage = Answered<RowsAnswer<Row>>

/** Most rows that charts and maps draw. */
const MOST_DRAWN = 5000
/** Seconds after which the page says that a query is still running. */
const SLOW_SECONDS = 3
const IDLE = 'Run a query to see its rows.'
const noRows = () =>
  `The query returned no rows. Loosen its conditions${findOffered('entity') ? ', or choose another point of view' : ''}.`

/**
 * Runs queries and manages the table of rows and the other views. `onRows` is called when there are other rows, of a snapshot,
 * or none.
 */
export function results(
  refusal: RefusalBox,
  hints: HintList,
  onRows: (snapshot: string | undefined) => void,
): ResultTable {
  const [runButton, stopButton] = [find('run'), find('stop')]
  const [previous, next, count] = [find('previous'), find('next'), find('count')]
  const [section, table] = [find('results'), find('rows')]
  const [status, timing] = [find('status'), find('timing')]
  const [title, idle] = [find('results-title'), find('idle')]
  const [scroll, sorted] = [find('scroll'), find('sorted')]
  const [limit, filter] = [find('limit'), find('filter')]
  const earlier = find('earlier')
  const others = views()
  const running = latest()
  let paging: ReadPages = NO_PAGES
  /** The run whose rows are in the table. */
  let shown: QueryRun | null = null
  /** The run whose rows are awaited. */
  let awaited: QueryRun | null = null
  /** The columns of the table. */
  let columns: readonly RowColumn[] = []
  let [hasFailed, question]: [boolean, Question | null] = [false, null]

  /** The run whose rows are in the table, or that sorts or filters these and is awaited. */
  const newest = () => (awaited?.asked === shown?.asked ? awaited : shown)
  const mark = () => {
    const isEarlier = shown !== null && question !== null && !isSame(shown.question, question)
    show(isEarlier, earlier)
    section.classList.toggle('of-earlier', isEarlier)
  }
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
    awaited = run
    hasFailed = false
    refusal.clear()
    going(true)
    status.textContent = 'Running …'
    // A screen reader would announce each second.
    const elapsed = make('span', { 'aria-hidden': true })
    let seconds = 0
    const slow = setInterval(() => {
      elapsed.textContent = ` ${++seconds} s`
      if (seconds === SLOW_SECONDS)
        status.replaceChildren(
          'Still running. Stop ends it now; the service ends it when its time is up.',
          elapsed,
        )
    }, 1000)
    if (!shown) idle.replaceChildren(make('p', {}, 'Waiting for the first rows …'))
    try {
      const page = { limit: run.limit, ...(cursor === undefined ? {} : { cursor }) }
      // Places in a sorted or filtered query are not those of the text in the editor.
      const hasHints = at === 0 && run.params.sql === run.asked.sql
      const include = hasHints ? (['columns', 'hints'] as const) : (['columns'] as const)
      const answer = await run.client.query({ ...pinned(run), page, include: [...include] }, { signal })
      paging = withPage(before, at, answer.items.length, answer.nextCursor)
      shown = run
      run.snapshot ??= answer.snapshot?.snapshotId
      display(run, answer, from)
      if (hasHints) hints.tell(run.asked.sql, answer.hints)
      if (at === 0) run.onDone()
    } catch (error) {
      // The code that stopped it has updated the page.
      if (signal.aborted) return
      status.textContent = 'Failed'
      hasFailed = true
      // Rows of another query must not look like the answer to this one.
      if (run.asked !== shown?.asked) empty('The query failed: what to change is said beside it.')
      refusal.tell(error, () => void read(run, at, before), run.params.sql)
    } finally {
      clearInterval(slow)
      if (!signal.aborted) {
        awaited = null
        going(false)
      }
    }
  }

  function display(run: QueryRun, answer: ResultPage, from: number): void {
    const { items: rows, spentMs = {} } = answer
    const { shape } = run
    run.names = answer.columnNames ?? []
    // A table without rows has no heads either.
    columns = rows.length > 0 ? columnsOf(run.names, typesIn(answer)) : []
    // The heads are replaced, so the focus goes to the new one in the place of the old one.
    const focused = [...(table.tHead?.rows[0]?.cells ?? [])].findIndex(head =>
      head.contains(document.activeElement),
    )
    const isShaped = run.path === OF_STATEMENTS
    const onSort = isShaped ? (sort: ShapedRows['sort']) => reshape({ sort }) : undefined
    fillTable(table, { columns, rows, from, sort: shape.sort }, onSort)
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
    show(isShaped, filter)
    sorted.textContent = toldShape(shape, run.names, hasLimit(run.asked.sql))
    timing.textContent = phasesOf(spentMs)
    status.replaceChildren(`Done in ${wholeMs(spentMs)} ms`, make('span', { class: 'unseen' }, `. ${words}`))
    const { sql, ...rest } = run.params
    const params = { ...(isShaped ? { sql } : {}), ...rest, page: { limit: run.limit } }
    const isPart = paging.pages.length > 1
    others.offer(rows.length > 0 ? { columns, rows, params, path: run.path, told: words, isPart } : null)
    onRows(run.snapshot)
    mark()
  }

  /** Sorts or filters the rows shown, by what the field of the filter has, so that it never says what is not so. */
  function reshape(change: Partial<ShapedRows>): void {
    const run = newest()
    if (!run) return
    const shape = { ...run.shape, filter: filter.value, ...change }
    const sql = shaped(run.asked.sql, run.names, shape)
    if (sql !== null) void read({ ...run, params: { ...pinned(run), sql }, shape, onDone() {} }, 0, NO_PAGES)
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
    onRows(undefined)
    mark()
  }

  /** Does further work on the rows shown; `work` returns the words for its end. */
  async function further(
    words: string,
    work: (run: QueryRun, signal: AbortSignal) => Promise<string>,
  ): Promise<void> {
    const run = shown
    if (!run || awaited) return
    const signal = running.start()
    refusal.clear()
    going(true)
    status.textContent = words
    try {
      status.textContent = await work(run, signal)
    } catch (error) {
      if (signal.aborted) return
      status.textContent = 'Failed'
      refusal.tell(error, () => void further(words, work), run.params.sql)
    } finally {
      if (!signal.aborted) going(false)
    }
  }

  /** Counting may take as long as the query itself, so the page does it only when it is asked. */
  async function countRows(run: QueryRun, signal: AbortSignal): Promise<string> {
    const wanted = { ...pinned(run), page: { limit: run.limit }, include: ['total' as const] }
    const { total, warnings } = await run.client.query(wanted, { signal })
    if (total === undefined) return warnings[0]?.message ?? ''
    paging = { ...paging, total }
    title.textContent = toldRows(paging, table.tBodies[0]?.rows.length ?? 0)
    if (document.activeElement === count) next.focus()
    show(false, count)
    return `${counted(total, 'row')} in all`
  }

  async function drawAll(run: QueryRun, signal: AbortSignal): Promise<string> {
    const rows: Row[] = []
    for await (const row of run.client.rows(pinned(run), { signal })) if (rows.push(row) > MOST_DRAWN) break
    const isWhole = rows.length <= MOST_DRAWN
    const told = counted(Math.min(rows.length, MOST_DRAWN), 'row')
    const words = isWhole ? `All ${told}` : `The first ${told}, and there are more`
    others.draw(rows.slice(0, MOST_DRAWN), words)
    return `Drawn: ${words[0]?.toLowerCase()}${words.slice(1)}`
  }

  const turn = (button: HTMLButtonElement, step: number) =>
    onClick(button, () => {
      if (shown && button.getAttribute('aria-disabled') !== 'true')
        return read(shown, paging.at + step, paging)
    })
  turn(previous, -1)
  turn(next, 1)
  onClick(count, () => further('Counting …', countRows))
  onClick(find('draw-all'), () => further('Reading the rows to draw …', drawAll))
  onClick(stopButton, () => {
    running.stop()
    awaited = null
    hasFailed = true
    filter.value = shown?.shape.filter ?? ''
    runButton.focus()
    going(false)
    status.textContent = 'Stopped'
    if (!shown) empty(IDLE)
  })
  limit.value = recall('limit') ?? '100'
  limit.addEventListener('change', () => remember('limit', limit.value))
  const filterRows = () => {
    if (newest()?.shape.filter !== filter.value) reshape({})
  }
  filter.addEventListener('change', filterRows)
  filter.addEventListener('search', filterRows) // also fires when a click empties the field
  empty(IDLE)

  return {
    run(client, asked, { question, keepsShape, snapshot, path }, onDone) {
      const { shape, names } = (keepsShape ? shown : null) ?? { shape: { sort: null, filter: '' }, names: [] }
      filter.value = shape.filter
      const params = { ...asked, sql: shaped(asked.sql, names, shape) ?? asked.sql }
      const run = {
        client,
        question,
        asked,
        params,
        snapshot,
        limit: Number(limit.value),
        path,
        shape,
        names,
        onDone,
      }
      void read(run, 0, NO_PAGES)
    },
    follow(asked) {
      question = asked
      mark()
    },
    mayFollow(asked) {
      const run = awaited ?? shown
      const isOfStatement = shown !== null && run?.question.statement === asked.statement
      return isOfStatement && !hasFailed && run?.question.view !== asked.view
    },
    shown() {
      const run = awaited ?? shown
      return (
        run && {
          client: run.client,
          params: pinned(run),
          columns,
          isEarlier: run === shown && !earlier.hidden,
        }
      )
    },
    clear(words) {
      running.stop()
      awaited = null
      going(false)
      empty(words || IDLE)
      status.textContent = ''
      refusal.clear()
      hints.clear()
    },
  }
}

/** A query of the snapshot that its rows are of. */
function pinned({ params, snapshot }: QueryRun): QueryParams {
  return snapshot === undefined ? params : { ...params, snapshot }
}

function isSame(one: Question, other: Question): boolean {
  return one.statement === other.statement && one.view === other.view
}

const typesIn = ({ columns = [] }: ResultPage) => columns.map(({ type }) => type)
