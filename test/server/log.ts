import type { Served } from './server.js'

/** A line of the log of a server. */
export interface Line {
  level: string
  time: string
  msg: string
  type: string
  [field: string]: unknown
}

/** What a server has logged so far. */
export function linesOf(server: Served): Line[] {
  const lines = server.log().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Line)
}
