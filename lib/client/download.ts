import type { ProjectExport } from '../model.js'
import { PATHS } from '../paths.js'
import { AnalyticsConnectionError } from './errors.js'
import { ask, readFailure, readJson, strange, type Target, textOf } from './transport.js'

/** How far a download is. */
export interface Progress {
  /** Bytes that have arrived. */
  receivedBytes: number
  /** Size of the file; null when neither export nor answer says it. */
  totalBytes: number | null
}

/** How a file is downloaded. */
export interface DownloadOptions {
  /** Ends the download, also in the middle of the file. */
  signal?: AbortSignal | undefined
  /** Called for every part that arrives. */
  onProgress?: ((progress: Progress) => void) | undefined
}

/** A file on its way. */
export interface Download {
  /** The content; read it, or cancel. A connection that breaks is an `AnalyticsConnectionError`, never a short file. */
  body: ReadableStream<Uint8Array>
  /** Size of the file; null when neither export nor answer says it. */
  totalBytes: number | null
  /** What the service calls the file; null when it does not say. */
  fileName: string | null
}

/** Begins a download; `signal` ends the wait for its first byte, the one in `options` what comes after it. */
export async function beginDownload(
  target: Target,
  exported: string | Pick<ProjectExport, 'url' | 'bytes'>,
  { signal: whole, onProgress }: DownloadOptions,
  signal: AbortSignal,
): Promise<Download> {
  const url = typeof exported === 'string' ? exported : exported.url
  const response = await ask(target, pathOf(url), { signal })
  const { headers, body } = response
  if (!response.ok || !body) {
    const told = readFailure(await readJson(response, 'download', signal), 'download', headers)
    throw told ?? strange('download', response)
  }
  const length = headers.get('content-length')
  const totalBytes = typeof exported === 'object' ? exported.bytes : length === null ? null : Number(length)
  const fileName = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? null
  return { body: watched(body, totalBytes, whole, onProgress), totalBytes, fileName }
}

/** Where an export is on the service that the client knows: the key goes nowhere else, whatever the link says. */
function pathOf(url: string): string {
  const at = url.lastIndexOf(PATHS.exports)
  if (at < 0) throw new TypeError(`download() takes what export() gave, or its url, not ${JSON.stringify(url)}`)
  return url.slice(at)
}

/** The same bytes, counted; what ends early fails. */
function watched(
  body: ReadableStream<Uint8Array>,
  totalBytes: number | null,
  signal: AbortSignal | undefined,
  onProgress: DownloadOptions['onProgress'],
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let receivedBytes = 0
  const cut = (reason: string, cause?: unknown) => {
    const of = totalBytes === null ? '' : ` of ${totalBytes}`
    const message = `The download broke off after ${receivedBytes}${of} bytes: ${reason}. Download it again.`
    return new AnalyticsConnectionError(message, { cause })
  }
  let stop = () => {}
  const over = () => signal?.removeEventListener('abort', stop)
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stop = () => {
        over()
        controller.error(signal?.reason)
        reader.cancel(signal?.reason).catch(() => {})
      }
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop)
    },
    async pull(controller) {
      const { done, value } = await reader.read().catch(cause => {
        over()
        throw cut(textOf(cause), cause)
      })
      if (signal?.aborted) return // which is told already
      if (done) {
        over()
        if (totalBytes !== null && receivedBytes !== totalBytes) throw cut('the file is of another size')
        return controller.close()
      }
      receivedBytes += value.byteLength
      onProgress?.({ receivedBytes, totalBytes })
      controller.enqueue(value)
    },
    cancel(reason) {
      over()
      return reader.cancel(reason)
    },
  })
}
