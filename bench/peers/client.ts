import { LoadConnection } from '../load/connection.js'
import { requestBytes } from '../load/load.js'

/** Parameters of one load. `#` in the path or body is replaced by a different number in each request. */
export interface Load {
  port: number
  path: string
  authorization: string
  body: string | null
  clients: number
  forMs: number
}

/** Replies with the milliseconds of each answer after the warm-up. */
process.once('message', async ({ port, path, authorization, body, clients, forMs }: Load) => {
  const times: number[] = []
  const begins = performance.now() + forMs / 5
  const ends = begins + forMs
  let asked = 0
  const call = async () => {
    const connection = await LoadConnection.open(port)
    while (performance.now() < ends) {
      const own = (text: string) => text.replace('#', `${process.pid}.${++asked}`)
      const request = requestBytes(own(path), authorization, body === null ? null : own(body))
      const startedAt = performance.now()
      const status = await connection.ask(request)
      if (status !== 200) throw new Error(`the answer was ${status}`)
      if (startedAt >= begins) times.push(performance.now() - startedAt)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, call))
  process.send?.(times)
})
process.send?.('ready')
