import type { Page, Row } from 'foldgate'
import type { Answer, Api, QueryParams } from './api.js'
import { type Chart, charting } from './chart.js'
import { find, make, onClick, show } from './dom.js'
import { latest } from './latest.js'
import { arrived, START, type Trail, told } from './pages.js'
import type { Refusal } from './refusal.js'
import { fillTable } from './rows.js'
import { recall, remember } from './tab.js'

/** The rows of the latest query, one page at a time. */
export interface Results {
  /** Runs a query and shows its first page. */
  run(api: Api, params: QueryParams): void
  /** Stops a running query and removes the rows. */
  clear(): void
}

interface Run {
  api: Api
  params: QueryParams
  limit: number
}

/** Runs queries and manages the table of rows. */
export function results(refusal: Refusal): Results {
  const [runButton, stopButton] = [find('run', HTMLButtonElement), find('stop', HTMLButtonElement)]
  const [previous, next] = [find('previous', HTMLButtonElement), find('next', HTMLButtonElement)]
  const [section, table] = [find('results', HTMLElement), find('rows', HTMLTableElement)]
  const [status, timing] = [find('status', HTMLElement), find('timing', HTMLElement)]
  const title = find('results-title', HTMLElement)
  const scroll = find('scroll', HTMLElement)
  const limit = find('limit', HTMLSelectElement)
  const chart: Chart = charting()
  const running = latest()
  let trail: Trail = START
  /** The run whose rows are in the table. */
  let shown: Run | null = null

  const going = (isGoing: boolean) => {
    show(isGoing, stopButton)
    section.setAttribute('aria-busy', String(isGoing))
    runButton.classList.toggle('going', isGoing)
    // Not `disabled`, because a disabled button loses the focus.
    previous.setAttribute('aria-disabled', String(isGoing || trail.at === 0))
    next.setAttribute('aria-disabled', String(isGoing || trail.at + 1 >= trail.pages.length))
  }

  async function read(run: Run, at: number, before: Trail): Promise<void> {
    const signal = running.start()
    const { cursor, from = 0 } = before.pages[at] ?? {}
    refusal.clear()
    going(true)
    status.textContent = 'Running …'
    try {
      const page = { limit: run.limit, ...(cursor === undefined ? {} : { cursor }) }
      const answer = await run.api.call('projects/query', { ...run.params, page }, signal)
      trail = arrived(before, at, answer.result.items.length, answer.result.nextCursor)
      shown = run
      display(answer, from)
    } catch (error) {
      // The code that stopped it has updated the page.
      if (signal.aborted) return
      status.textContent = 'Failed'
      // Rows of another query must not look like the answer to this one.
      if (run !== shown) empty()
      refusal.tell(error, () => void read(run, at, before))
    } finally {
      if (!signal.aborted) going(false)
    }
  }

  function display({ result, columns, spentMs }: Answer<Page<Row>>, from: number): void {
    fillTable(table, columns, result.items, from)
    show(true, section)
    show(result.items.length > 0, scroll)
    show(result.items.length === 0, find('no-rows', HTMLElement))
    show(trail.pages.length > 1, find('turning', HTMLElement))
    scroll.scrollTo(0, 0)
    const words = told(trail, result.items.length)
    title.textContent = words
    timing.textContent = phasesOf(spentMs)
    status.replaceChildren(`Done in ${wholeMs(spentMs)} ms`, make('span', { class: 'unseen' }, `. ${words}`))
    chart.draw(columns, result.items)
  }

  function empty(): void {
    show(false, section)
    table.replaceChildren()
    chart.clear()
  }

  const turn = (button: HTMLButtonElement, step: number) =>
    onClick(button, () => {
      if (shown && button.getAttribute('aria-disabled') !== 'true') return read(shown, trail.at + step, trail)
    })
  turn(previous, -1)
  turn(next, 1)
  onClick(stopButton, () => {
    running.stop()
    runButton.focus()
    going(false)
    status.textContent = 'Stopped'
  })
  limit.value = recall('limit') ?? '100'
  limit.addEventListener('change', () => remember('limit', limit.value))

  return {
    run(api, params) {
      void read({ api, params, limit: Number(limit.value) }, 0, START)
    },
    clear() {
      running.stop()
      going(false)
      empty()
      status.textContent = ''
      refusal.clear()
    },
  }
}

function wholeMs(spentMs: Record<string, number>): string {
  const total = Object.values(spentMs).reduce((sum, ms) => sum + ms, 0)
  return Math.max(1, Math.round(total)).toLocaleString('en')
}

/** The phases that took at least 1 ms, in words. */
function phasesOf(spentMs: Record<string, number>): string {
  const slow = Object.entries(spentMs).filter(([, ms]) => ms >= 1)
  return slow.map(([phase, ms]) => `${phase} ${Math.round(ms).toLocaleString('en')} ms`).join(', ')
}
