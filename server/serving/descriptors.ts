import { readdir } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { Log } from '../operation/log.js'
import type { Measures } from './metrics.js'

const LOOK_EVERY_MS = 5_000
/** Above this part of the limit, files and connections will soon be refused. */
const NEARLY_ALL = 0.9
const MINUTE_MS = 60_000
const NO_DESCRIPTORS = ['EMFILE', 'ENFILE']
const ADVICE = 'raise the limit on open files (ulimit -n, LimitNOFILE of systemd, nofile of a container)'

/**
 * Warns while nearly all descriptors of this process are open. Without any left, libuv closes the connections of callers
 * and tells nobody; an error of accepting that it does tell is counted, and logged once a minute at most. `limit` is null
 * where it is not known: the descriptors are not counted then.
 */
export function watchDescriptors(
  server: Server,
  { log, metrics, limit }: { log: Log; metrics: Pick<Measures, 'counter'> | null; limit: number | null },
): { stop(): void } {
  const errors = metrics?.counter('accept_errors', 'Connections that could not be accepted.', 'code')
  for (const code of NO_DESCRIPTORS) errors?.inc({ code }, 0)
  let toldAt = Number.NEGATIVE_INFINITY
  // Without a listener, the error would end the process.
  const failed = (cause: NodeJS.ErrnoException) => {
    const code = cause.code ?? 'unknown'
    errors?.inc({ code })
    if (toldAt > performance.now() - MINUTE_MS) return
    toldAt = performance.now()
    const advice = NO_DESCRIPTORS.includes(code) ? `: ${ADVICE}` : ''
    log.warn({ type: 'descriptors', code }, `a connection could not be accepted (${code})${advice}`)
  }
  server.on('error', failed)

  let isTold = false
  const look = async (most: number) => {
    // Without a descriptor for the folder, all of them are open.
    const open = await readdir('/proc/self/fd').then(
      found => found.length,
      () => most,
    )
    const isFull = open > most * NEARLY_ALL
    const about = { type: 'descriptors', open, limit: most }
    if (isFull && !isTold)
      log.warn(
        about,
        `${open} of ${most} descriptors are open, and connections will be closed unasked: ${ADVICE}`,
      )
    if (!isFull && isTold) log.info(about, `${open} of ${most} descriptors are open`)
    isTold = isFull
  }
  const timer = limit === null ? undefined : setInterval(() => void look(limit), LOOK_EVERY_MS).unref()
  return {
    stop() {
      clearInterval(timer)
      server.off('error', failed)
    },
  }
}
