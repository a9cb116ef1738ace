import type { Served } from './server.js'

/** A log line of a server. */
export interface Line {
  level: string
  time: string
  msg: string
  type: string
  [field: string]: unknown
}

/** The log lines of a server so far. */
export function linesOf(server: Served): Line[] {
  const lines = server.log().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Line)
}
