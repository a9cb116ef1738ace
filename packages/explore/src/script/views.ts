import type { QueryParams, Row } from 'foldgate/client'
import { chartIn } from './charts/chart.js'
import { mapIn } from './charts/map.js'
import { CALL_NEEDS, type CallLanguage, callOf, csvOf, markdownOf, sheetOf } from './clipboard.js'
import { apiUrl, copies, find, show } from './dom.js'
import { openTabs, type Tab } from './panes.js'
import { recall, remember } from './tab.js'
import type { RowColumn } from './values.js'

const TABS = ['table', 'chart', 'map', 'json', 'call', 'compare'] as const

/** A page of rows and the call that read it. */
export interface Result {
  columns: readonly RowColumn[]
  rows: readonly Row[]
  params: Partial<QueryParams> & { page: { limit: number } }
  /** Path of the call below the version. */
  path: string
  /** Which rows they are, in words. */
  told: string
  /** Whether the result has other rows, before or after these. */
  isPart: boolean
}

/** The views of a result beside its table: chart, map, JSON, the call, and what the page copies. */
export interface ResultViews {
  /** Takes the rows of the table; null when it has none. */
  offer(result: Result | null): void
  /** Draws other rows of the result than those of the table. */
  draw(rows: readonly Row[], told: string): void
}

/** Manages the tabs of the results and what they show. */
export function views(): ResultViews {
  const [json, call] = [find('json'), find('call')]
  const language = find('call-in')
  const chart = chartIn(find('panel-chart'))
  const map = mapIn(find('panel-map'))
  let result: Result | null = null
  /** The tab shown, and whether drawings have all rows. */
  let [shownTab, isWhole]: [Tab, boolean] = ['table', false]
  const tabs = openTabs(TABS, render)

  const columns = () => result?.columns ?? []
  const rows = () => result?.rows ?? []
  const jsonText = () => JSON.stringify(rows(), null, 2)
  const callText = () =>
    result
      ? callOf(language.value as CallLanguage, `${apiUrl()}/public/v1/${result.path}`, result.params)
      : ''

  const showDrawAll = () =>
    show(
      result?.isPart === true && !isWhole && (shownTab === 'chart' || shownTab === 'map'),
      find('draw-all'),
    )

  function drawn(rows: readonly Row[], told: string): void {
    for (const [name, drawing] of [
      ['chart', chart],
      ['map', map],
    ] as const) {
      const isOffered = result !== null && drawing.offer(columns(), rows, told)
      tabs.allow(name, isOffered)
      // Where there is nothing to draw, its panel says why, which cannot be shown.
      const reason = find(`panel-${name}`).querySelector('.chart-reason')
      find(`tab-${name}`).title = isOffered ? '' : (reason?.textContent ?? '')
    }
  }

  /** Fills a tab when it is shown: the JSON of a page can have megabytes. */
  function render(tab: Tab): void {
    shownTab = tab
    showDrawAll()
    if (tab === 'json') json.textContent = jsonText()
    if (tab !== 'call') return
    call.textContent = callText()
    find('call-about').textContent = CALL_NEEDS[language.value as CallLanguage]
  }

  const escaping = find('copy-escape')
  copies(find('copy-sheet'), () => sheetOf(columns(), rows()))
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
      isWhole = false
      find('copy-menu').hidden = offered === null
      drawn(rows(), offered?.told ?? '')
      for (const name of ['table', 'json', 'call', 'compare'] as const) tabs.allow(name, offered !== null)
      if (!offered) {
        chart.clear()
        map.clear()
      }
      tabs.show(offered !== null)
      showDrawAll()
    },
    draw(rows, told) {
      isWhole = true
      drawn(rows, told)
      showDrawAll()
    },
  }
}
