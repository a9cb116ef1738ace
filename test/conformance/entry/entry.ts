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

/** Every entry point, by the name that tests show. */
export const ENTRIES: Record<string, (site: Site) => Entry> = {
  REST: restEntry,
  'JSON-RPC over HTTP': rpcEntry,
  'JSON-RPC over WebSocket': socketEntry,
  'in process': processEntry,
}

/** Those that lead through a host; what is in process passes it by. */
export const MOUNTED: readonly string[] = Object.keys(ENTRIES).filter(name => name !== 'in process')
