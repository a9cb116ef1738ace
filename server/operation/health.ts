import { access, constants, opendir } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from './log.js'

/** What a server cannot do without, by name: each is fulfilled when it answers. */
export type Checks = Readonly<Record<string, () => Promise<unknown>>>

/** What a server says of itself to whoever watches it. */
export interface Health {
  /** Answers `/live` and `/ready`; false for any other path. */
  answer(request: IncomingMessage, response: ServerResponse): boolean
  /** From now on the server is ready when all of these answer. */
  serving(checks: Checks): void
  /** From now on it is not ready any more. */
  draining(): void
}

/** A check that takes longer has failed. */
const CHECK_MS = 2000

/** The health of a server that starts: it lives, and is not ready. */
export function createHealth(log: Log): Health {
  let lacking: () => Promise<string[]> = async () => ['starting']
  let last: string | null = null

  async function readiness(): Promise<{ status: number; body: object }> {
    const notReady = await lacking()
    const now = notReady.join(', ')
    if (now !== last && now === '') log.info({ type: 'ready' }, 'ready')
    if (now !== last && now !== '') log.warn({ type: 'ready', notReady }, `not ready: ${now}`)
    last = now
    if (now === '') return { status: 200, body: { status: 'ready' } }
    return { status: 503, body: { status: 'notReady', notReady } }
  }

  return {
    answer(request, response) {
      const path = (request.url ?? '').split('?')[0]
      if (path !== '/live' && path !== '/ready') return false
      if (request.method !== 'GET' && request.method !== 'HEAD') response.writeHead(405, { Allow: 'GET, HEAD' }).end()
      else if (path === '/live') send(response, 200, { status: 'live' })
      else void readiness().then(({ status, body }) => send(response, status, body))
      return true
    },
    serving(checks) {
      const bounded = Object.entries(checks).map(([name, check]) => ({ name, holds: withinTime(check) }))
      lacking = async () => {
        const held = await Promise.all(bounded.map(({ holds }) => holds()))
        return bounded.filter((_, at) => !held[at]).map(({ name }) => name)
      }
    },
    draining() {
      lacking = async () => ['draining']
    },
  }
}

/** A folder that can be read and written, as far as looking tells. */
export async function checkFolder(path: string): Promise<void> {
  await access(path, constants.R_OK | constants.W_OK | constants.X_OK)
  const folder = await opendir(path)
  try {
    await folder.read()
  } finally {
    await folder.close()
  }
}

/** One look at a time, whoever asks: a folder or a database that hangs must not collect those who wait for it. */
function withinTime(check: () => Promise<unknown>): () => Promise<boolean> {
  let underWay: Promise<boolean> | null = null
  return async () => {
    underWay ??= check()
      .then(
        () => true,
        () => false,
      )
      .finally(() => {
        underWay = null
      })
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>(resolve => {
      timer = setTimeout(() => resolve(false), CHECK_MS)
    })
    const held = await Promise.race([underWay, late])
    clearTimeout(timer)
    return held
  }
}

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' })
  response.end(response.req.method === 'HEAD' ? undefined : JSON.stringify(body))
}
