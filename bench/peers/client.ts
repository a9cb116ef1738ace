import { LoadConnection } from '../load/connection.js'
import { requestBytes } from '../load/load.js'

/** Parameters of one load. `#` in the path or body is replaced by a different number in each request. */
export interface Load {
  port: number
  path: string
  authorization: string
  body: string | null
  clients: number
  /** Time that is not measured, and then the time that is. */
  leadMs: number
  forMs: number
}

/** What a load measured: answers complete within the measured time, and all that were sent. */
export interface Loaded {
  times: number[]
  answered: number
  /** Processor time of this client in milliseconds, all answers together. */
  clientMs: number
}

/** All numbers have as many digits, so that a request is written once and only its number changes. */
let number = 100_000_000

process.on('message', async (load: Load) => process.send?.(await run(load)))
process.send?.('ready')

async function run({ port, path, authorization, body, clients, leadMs, forMs }: Load): Promise<Loaded> {
  const loaded: Loaded = { times: [], answered: 0, clientMs: 0 }
  const first = String(number)
  const own = (text: string) => text.replace('#', first)
  const template = requestBytes(own(path), authorization, body === null ? null : own(body))
  const at = `${path}${body}`.includes('#') ? template.indexOf(first) : -1
  const before = process.cpuUsage()
  const begins = performance.now() + leadMs
  const ends = begins + forMs
  const ask = async () => {
    const connection = await LoadConnection.open(port)
    const request = Buffer.from(template)
    for (let startedAt = performance.now(); startedAt < ends; ) {
      if (at >= 0) request.write(String(++number), at, 'latin1')
      const status = await connection.ask(request)
      if (status !== 200) throw new Error(`the answer was ${status}`)
      const answeredAt = performance.now()
      loaded.answered += 1
      if (answeredAt >= begins && answeredAt < ends) loaded.times.push(answeredAt - startedAt)
      startedAt = answeredAt
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: clients }, ask))
  const spent = process.cpuUsage(before)
  loaded.clientMs = (spent.user + spent.system) / 1000
  return loaded
}
