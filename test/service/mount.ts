import type { IncomingMessage, RequestListener } from 'node:http'
import type { Duplex } from 'node:stream'
import type { AnalyticsApi } from 'foldgate'
import { toNodeHandler } from 'foldgate/node'

/** A host's handlers for the requests and upgrades of its server. */
export interface Host {
  request: RequestListener
  /** Omitted when the host does not serve the API's WebSocket. */
  upgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void
  close?(): Promise<void>
}

/** How a host mounts the API. */
export interface Mount {
  /** Path prefix of the API, without a trailing slash. */
  prefix: string
  host(api: AnalyticsApi): Host | Promise<Host>
}

/** A server that serves only the API, without a WebSocket. */
export const bareMount: Mount = { prefix: '', host: api => ({ request: toNodeHandler(api) }) }
