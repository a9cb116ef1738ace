import type { QueryParams, Row } from 'foldgate/client'
import { chartIn } from './charts/chart.js'
import { mapIn } from './charts/map.js'
import { CALL_NEEDS, type CallLanguage, callOf, csvOf, markdownOf } from './clipboard.js'
import { apiUrl, copies, find } from './dom.js'
import { openTabs, type Tab } from './panes.js'
import { recall, remember } from './tab.js'
import type { RowColumn } from './values.js'

const TABS = ['table', 'chart', 'map', 'json', 'call'] as const

/** A page of rows and the call that read it. */
export interface Result {
  columns: readonly RowColumn[]
  rows: readonly Row[]
  params: QueryParams & { page: { limit: number } }
}

/** The views of a result beside its table: chart, map, JSON, the call, and what the page copies. */
export interface ResultViews {
  /** Takes the rows of the table; null when it has none. */
  offer(result: Result | null): void
}

/** Manages the tabs of the results and what they show. */
export function views(): ResultViews {
  const [json, call] = [find('json'), find('call')]
  const language = find('call-in')
  const chart = chartIn(find('panel-chart'))
  const map = mapIn(find('panel-map'))
  let result: Result | null = null
  const tabs = openTabs(TABS, render)

  const columns = () => result?.columns ?? []
  const rows = () => result?.rows ?? []
  const jsonText = () => JSON.stringify(rows(), null, 2)
  const callText = () =>
    result
      ? callOf(language.value as CallLanguage, `${apiUrl()}/public/v1/api/projects/query`, result.params)
      : ''

  /** Fills a tab when it is shown: the JSON of a page can have megabytes. */
  function render(tab: Tab): void {
    if (tab === 'json') json.textContent = jsonText()
    if (tab !== 'call') return
    call.textContent = callText()
    find('call-about').textContent = CALL_NEEDS[language.value as CallLanguage]
  }

  const escaping = find('copy-escape')
  copies(find('copy-csv'), () => csvOf(columns(), rows(), escaping.checked))
  copies(find('copy-markdown'), () => markdownOf(columns(), rows()))
  copies(find('copy-json'), jsonText)
  copies(find('copy-call'), callText)
  language.value = recall('call') ?? 'curl'
  language.addEventListener('change', () => {
    remember('call', language.value)
    render('call')
  })

  return {
    offer(offered) {
      result = offered
      find('copy-menu').hidden = offered === null
      for (const [name, drawing] of [
        ['chart', chart],
        ['map', map],
      ] as const) {
        const isOffered = offered !== null && drawing.offer(offered.columns, offered.rows)
        tabs.allow(name, isOffered)
        // Where there is nothing to draw, its panel says why, which cannot be shown.
        const reason = find(`panel-${name}`).querySelector('.chart-reason')
        find(`tab-${name}`).title = isOffered ? '' : (reason?.textContent ?? '')
      }
      for (const name of ['table', 'json', 'call'] as const) tabs.allow(name, offered !== null)
      if (!offered) {
        chart.clear()
        map.clear()
      }
      tabs.show(offered !== null)
    },
  }
}
