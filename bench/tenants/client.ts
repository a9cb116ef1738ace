import { LoadConnection } from '../load/connection.js'
import { postBytes } from '../load/load.js'
import { AUTHORIZATION } from '../open.js'
import { MIX } from './mix.js'

/** What one load is told. */
export interface Load {
  port: number
  path: string
  clients: number
  warmUpMs: number
  forMs: number
  projectIds: string[]
}

/** What it saw after it was warm: milliseconds of each answer, and answers by status. */
export interface Loaded {
  ms: number[]
  statuses: Record<number, number>
}

/** Many clients, each asking a text that nobody asked before as soon as it has its last answer. */
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
