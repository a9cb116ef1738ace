import type { Api, QueryParams } from './api.js'
import { counted, find, onClick, show } from './dom.js'
import { latest } from './latest.js'
import type { Refusal } from './refusal.js'
import { save, sized, transfer } from './transfer.js'

/** Making a Parquet file of a query, and taking it home. */
export interface Exporting {
  start(api: Api, params: QueryParams): void
  /** Takes away what was said of an export that is over. */
  settle(): void
  /** Stops what is under way and takes what was said of it away. */
  clear(): void
}

/** Takes charge of the export: what it is at, how far it is, and the way to stop it. */
export function exporting(refusal: Refusal): Exporting {
  const [box, said] = [find('exporting', HTMLElement), find('export-said', HTMLElement)]
  const bar = find('export-progress', HTMLProgressElement)
  const again = find('export-again', HTMLAnchorElement)
  const [begin, stop] = [find('export', HTMLButtonElement), find('export-stop', HTMLButtonElement)]
  const running = latest()

  const going = (isGoing: boolean) => show(isGoing, bar, stop)

  async function run(api: Api, params: QueryParams): Promise<void> {
    const signal = running.start()
    refusal.clear()
    show(true, box)
    show(false, again)
    going(true)
    bar.removeAttribute('value')
    said.textContent = 'Making the file …'
    try {
      const { result } = await api.call('projects/export', params, signal)
      const { rows, bytes } = result
      said.textContent = `Downloading ${counted(rows, 'row')}, ${sized(bytes)} …`
      const file = await transfer(await api.open(result.url, signal), done => {
        bar.value = bytes === 0 ? 1 : done / bytes
      })
      save(again, file)
      show(true, again)
      said.textContent = `${file.name} is downloaded: ${counted(rows, 'row')}, ${sized(bytes)}.`
    } catch (error) {
      // Whoever stopped it has said so.
      if (signal.aborted) return
      show(false, box)
      refusal.tell(error, () => void run(api, params))
    } finally {
      if (!signal.aborted) going(false)
    }
  }

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
