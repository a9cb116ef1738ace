import type { Call, Outcome } from './case.js'
import { processEntry } from './process.js'
import { restEntry } from './rest.js'
import { rpcEntry } from './rpc.js'
import { socketEntry } from './socket.js'
import type { Site } from './world.js'

/** A way into a service: it checks its own envelope and hands out what is in it. */
export interface Entry {
  call(call: Call): Promise<Outcome>
  close?(): void
}

/** Name of the entry point that no request of HTTP leads to. */
export const WEBSOCKET = 'JSON-RPC over WebSocket'

/** Every entry point, by the name that tests show. */
export const ENTRIES: Record<string, (site: Site) => Entry> = {
  REST: restEntry,
  'JSON-RPC over HTTP': rpcEntry,
  [WEBSOCKET]: socketEntry,
  'in process': processEntry,
}

/** Those that lead through a host; what is in process passes it by. */
export const MOUNTED: readonly string[] = Object.keys(ENTRIES).filter(name => name !== 'in process')
