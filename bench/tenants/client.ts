import { LoadConnection } from '../load/connection.js'
import { postBytes } from '../load/load.js'
import { AUTHORIZATION } from '../open.js'
import { MIX } from './mix.js'

/** Parameters of one load. */
export interface Load {
  port: number
  path: string
  clients: number
  warmUpMs: number
  forMs: number
  projectIds: string[]
}

/** Results after the warm-up: the milliseconds of each answer, and the number of answers by status. */
export interface Loaded {
  ms: number[]
  statuses: Record<number, number>
}

/** Runs many clients; each sends a new statement as soon as its last one is answered. */
process.once('message', async ({ port, path, clients, warmUpMs, forMs, projectIds }: Load) => {
  const loaded: Loaded = { ms: [], statuses: {} }
  const begins = performance.now() + warmUpMs
  const ends = begins + forMs
  let asked = 0
  let random = 1
  const next = (below: number) => {
    random = (random * 48_271) % 2_147_483_647
    return random % below
  }
  const call = async () => {
    const connection = await LoadConnection.open(port)
    while (performance.now() < ends) {
      const sql = `${MIX[next(MIX.length)]} -- ${process.pid} ${++asked}`
      const body = JSON.stringify({ projectId: projectIds[next(projectIds.length)], sql })
      const startedAt = performance.now()
      const status = await connection.ask(postBytes(path, AUTHORIZATION, body))
      if (startedAt < begins) continue
      loaded.ms.push(performance.now() - startedAt)
      loaded.statuses[status] = (loaded.statuses[status] ?? 0) + 1
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, call))
  process.send?.(loaded)
})
process.send?.('ready')
