import { PATHS } from '../call/paths-and-headers.js'
import type { ProjectExport } from '../model.js'
import { AnalyticsConnectionError } from './errors.js'
import { ask, type CallTarget, readFailure, readJson, strange, textOf } from './transport.js'

/** The file to download: the result of `export()`, or its `url`. */
export type ExportLink = string | Pick<ProjectExport, 'url' | 'bytes' | 'columns'>

/** Progress of a download. */
export interface Progress {
  /** Bytes received so far. */
  receivedBytes: number
  /** Size of the file; null when neither export nor answer says it. */
  totalBytes: number | null
}

/** Options of a download. */
export interface DownloadOptions {
  /** Cancels the download, even in the middle of the file. */
  signal?: AbortSignal | undefined
  /** Called for each part that arrives. */
  onProgress?: ((progress: Progress) => void) | undefined
}

/** A download in progress. */
export interface Download {
  /**
   * The content; read or cancel it. A broken connection is an `AnalyticsConnectionError`, never a truncated
   * file.
   */
  body: ReadableStream<Uint8Array>
  /** Size of the file; null when neither export nor answer says it. */
  totalBytes: number | null
  /** File name that the service suggests; null when it suggests none. */
  fileName: string | null
  /**
   * Media type of the file, such as `text/csv; charset=utf-8; header=present`; null when the answer does not
   * say it.
   */
  mediaType: string | null
}

/**
 * Begins a download. `signal` cancels it until the response arrives, the signal of the options afterwards.
 */
export async function beginDownload(
  target: CallTarget,
  exported: ExportLink,
  { signal: whole, onProgress }: DownloadOptions,
  signal: AbortSignal,
): Promise<Download> {
  const url = typeof exported === 'string' ? exported : exported.url
  const response = await ask(target, pathOf(url), { signal })
  const { headers, body } = response
  if (!response.ok || !body) {
    const value = await readJson(response, 'download', signal)
    throw readFailure(value, 'download', headers) ?? strange('download', response)
  }
  const length = headers.get('content-length')
  const totalBytes = typeof exported === 'object' ? exported.bytes : length === null ? null : Number(length)
  const fileName = /filename="([^"]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? null
  const mediaType = headers.get('content-type')
  return { body: watched(body, totalBytes, whole, onProgress), totalBytes, fileName, mediaType }
}

/**
 * The path of an export. The origin in the link is ignored, so that the key is sent to the client's service
 * only.
 */
function pathOf(url: string): string {
  const at = url.lastIndexOf(PATHS.exports)
  if (at < 0)
    throw new TypeError(`download() takes what export() gave, or its url, not ${JSON.stringify(url)}`)
  return url.slice(at)
}

/** Passes the bytes on and counts them; errors when their number is wrong at the end. */
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
      if (signal?.aborted) return // `stop` has errored the stream already
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
