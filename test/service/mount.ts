import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnalyticsApi } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'

/** What a host does with what comes to its server. */
export interface Host {
  request: RequestListener
  /** Left out: the host has no WebSocket of its own. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  close?(): Promise<void>
}

/** A way to put an API into a host. */
export interface Mount {
  /** Path below which the API is, without a slash at its end. */
  prefix: string
  host(api: AnalyticsApi): Host | Promise<Host>
}

/** A server that is there for the API alone. */
export const bareMount: Mount = { prefix: '', host: api => ({ request: toNodeHandler(api) }) }
