import { connectionFailure } from './failure.js'

/** A file that was downloaded. */
export interface Transferred {
  blob: Blob
  name: string
}

/** Reads the body of a response and reports the bytes received so far. A body that breaks off throws UNREACHABLE. */
export async function transfer(response: Response, onBytes: (bytes: number) => void): Promise<Transferred> {
  const parts: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = response.body?.getReader()
  for (let part = await reader?.read().catch(connectionFailure); part && !part.done; ) {
    parts.push(part.value)
    bytes += part.value.byteLength
    onBytes(bytes)
    part = await reader?.read().catch(connectionFailure)
  }
  const [, name = 'export.parquet'] = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '') ?? []
  return { blob: new Blob(parts, { type: response.headers.get('Content-Type') ?? '' }), name }
}

/** Saves a file with the browser's own download. */
export function save(link: HTMLAnchorElement, { blob, name }: Transferred): void {
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
