import type { Client, Download, ExportFormat, QueryParams } from 'foldgate/client'
import { counted, find, latest, onClick, show } from './dom.js'
import type { RefusalBox } from './refused-statement.js'
import { recall, remember } from './tab.js'

/** Exports a query to a file of the chosen format and downloads it. */
export interface Exporting {
  /** `isEarlier`: the file answers another question than the controls ask. */
  start(client: Client, params: QueryParams, isEarlier?: boolean): void
  /** Hides the message of a finished export. */
  settle(): void
  /** Stops a running export and hides its message. */
  clear(): void
}

const EARLIER = ' These are the rows shown, which answer an earlier question.'

/** Manages the export: its message, its progress and the button that stops it. */
export function exporting(refusal: RefusalBox): Exporting {
  const [box, said] = [find('exporting'), find('export-said')]
  const bar = find('export-progress')
  const again = find('export-again')
  const [begin, stop] = [find('export'), find('export-stop')]
  const format = find('format')
  const escaping = find('export-escape')
  const running = latest()

  const isCsv = () => format.value === 'csv'
  const going = (isGoing: boolean) => show(isGoing, bar, stop)

  async function run(client: Client, params: QueryParams, isEarlier: boolean): Promise<void> {
    const signal = running.start()
    refusal.clear()
    show(true, box)
    show(false, again)
    going(true)
    bar.removeAttribute('value')
    said.textContent = 'Creating the file …'
    try {
      const csvInjection = isCsv() && escaping.checked ? ({ csvInjection: 'escape' } as const) : {}
      const { page: _, include: __, dryRun: ___, ...statement } = params
      const wanted = { ...statement, format: format.value as ExportFormat, ...csvInjection }
      const exported = await client.export(wanted, { signal })
      const { rows, bytes } = exported
      said.textContent = `Downloading ${counted(rows, 'row')}, ${sized(bytes)} …`
      const onProgress = ({ receivedBytes }: { receivedBytes: number }) => {
        bar.value = bytes === 0 ? 1 : receivedBytes / bytes
      }
      const download = await client.download(exported, { signal, onProgress })
      const file = { blob: await blobOf(download), name: download.fileName ?? 'export.parquet' }
      save(again, file)
      show(true, again)
      said.textContent = `Downloaded ${file.name}: ${counted(rows, 'row')}, ${sized(bytes)}.${isEarlier ? EARLIER : ''}`
    } catch (error) {
      // The code that stopped it has updated the page.
      if (signal.aborted) return
      show(false, box)
      refusal.tell(error, () => void run(client, params, isEarlier), params.sql)
    } finally {
      if (!signal.aborted) going(false)
    }
  }

  const name = () => {
    begin.textContent = `Export as ${format.selectedOptions[0]?.textContent}`
    show(isCsv(), find('export-escaping'))
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
    start: (client, params, isEarlier = false) => void run(client, params, isEarlier),
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

/**
 * Has CSV that is copied and CSV that is exported share
 * one choice, for this tab: whether formulas are escaped.
 */
export function chooseEscaping(): void {
  const boxes = [find('copy-escape'), find('export-escape')]
  const choose = (isChosen: boolean) => {
    for (const box of boxes) box.checked = isChosen
    remember('escape', isChosen ? 'yes' : null)
  }
  choose(recall('escape') === 'yes')
  for (const box of boxes) box.addEventListener('change', () => choose(box.checked))
}

/** A file to save. */
interface NamedFile {
  blob: Blob
  name: string
}

/** The whole of a file. Read by hand, because `Response.blob` hides in Chromium why a stream has failed. */
async function blobOf({ body, mediaType }: Download): Promise<Blob> {
  const parts: BlobPart[] = []
  const reader = body.getReader()
  for (let part = await reader.read(); !part.done; part = await reader.read())
    parts.push(part.value as BlobPart)
  return new Blob(parts, { type: mediaType ?? '' })
}

/** Saves a file with the browser's own download. */
export function save(link: HTMLAnchorElement, { blob, name }: NamedFile): void {
  if (link.href !== '') URL.revokeObjectURL(link.href)
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
}

/** `812 bytes`, `1.4 MB`. */
export function sized(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB']
  const step = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  return `${(bytes / 1000 ** step).toLocaleString('en', { maximumFractionDigits: step === 0 ? 0 : 1 })} ${units[step]}`
}
