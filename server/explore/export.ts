import type { Api, QueryParams } from './api.js'
import { counted, find, onClick, show } from './dom.js'
import { latest } from './latest.js'
import type { Refusal } from './refusal.js'
import { recall, remember } from './tab.js'
import { save, sized, transfer } from './transfer.js'

/** Exports a query to a file of the chosen format and downloads it. */
export interface Exporting {
  start(api: Api, params: QueryParams): void
  /** Hides the message of a finished export. */
  settle(): void
  /** Stops a running export and hides its message. */
  clear(): void
}

/** Manages the export: its message, its progress and the button that stops it. */
export function exporting(refusal: Refusal): Exporting {
  const [box, said] = [find('exporting', HTMLElement), find('export-said', HTMLElement)]
  const bar = find('export-progress', HTMLProgressElement)
  const again = find('export-again', HTMLAnchorElement)
  const [begin, stop] = [find('export', HTMLButtonElement), find('export-stop', HTMLButtonElement)]
  const format = find('format', HTMLSelectElement)
  const running = latest()

  const going = (isGoing: boolean) => show(isGoing, bar, stop)

  async function run(api: Api, params: QueryParams): Promise<void> {
    const signal = running.start()
    refusal.clear()
    show(true, box)
    show(false, again)
    going(true)
    bar.removeAttribute('value')
    said.textContent = 'Creating the file …'
    try {
      const { result } = await api.call('projects/export', { ...params, format: format.value }, signal)
      const { rows, bytes } = result
      said.textContent = `Downloading ${counted(rows, 'row')}, ${sized(bytes)} …`
      const file = await transfer(await api.open(result.url, signal), done => {
        bar.value = bytes === 0 ? 1 : done / bytes
      })
      save(again, file)
      show(true, again)
      said.textContent = `Downloaded ${file.name}: ${counted(rows, 'row')}, ${sized(bytes)}.`
    } catch (error) {
      // The code that stopped it has updated the page.
      if (signal.aborted) return
      show(false, box)
      refusal.tell(error, () => void run(api, params))
    } finally {
      if (!signal.aborted) going(false)
    }
  }

  const name = () => {
    begin.textContent = `Export as ${format.selectedOptions[0]?.textContent}`
  }
  format.value = recall('format') ?? 'parquet'
  name()
  format.addEventListener('change', () => {
    remember('format', format.value)
    name()
  })

  onClick(stop, () => {
    running.stop()
    going(false)
    said.textContent = 'The export was stopped.'
    begin.focus()
  })
  return {
    start: (api, params) => void run(api, params),
    settle() {
      if (bar.hidden) show(false, box)
    },
    clear() {
      running.stop()
      going(false)
      show(false, box, again)
    },
  }
}
