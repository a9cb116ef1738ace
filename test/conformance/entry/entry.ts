import type { Call, Outcome } from './case.js'
import { processEntry } from './process.js'
import { restEntry } from './rest.js'
import { rpcEntry } from './rpc.js'
import { socketEntry } from './socket.js'
import type { Site } from './world.js'

/** An entry point of a service. It checks the envelope of its answers and returns the contents. */
export interface Entry {
  call(call: Call): Promise<Outcome>
  close?(): void
}

/** Name of the WebSocket entry point, whose messages no body parser of a host sees. */
export const WEBSOCKET = 'JSON-RPC over WebSocket'

/** Every entry point, by its name in test titles. */
export const ENTRIES: Record<string, (site: Site) => Entry> = {
  REST: restEntry,
  'JSON-RPC over HTTP': rpcEntry,
  [WEBSOCKET]: socketEntry,
  'in process': processEntry,
}

/** The entry points that go through a host's server, which in-process calls bypass. */
export const MOUNTED: readonly string[] = Object.keys(ENTRIES).filter(name => name !== 'in process')
