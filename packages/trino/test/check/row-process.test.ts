import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import type { TrinoAuth } from '#trino/protocol/client.js'
import { parseLossless } from '#trino/protocol/lossless.js'
import { RowProcess } from '#trino/rows/row-process.js'
import { until } from '../../../../test/until.js'

const BIGINT = { name: 'n', typeSignature: { rawType: 'bigint', arguments: [] } }
const COUNT = 400_000
const MIB = 1024 ** 2
const FIRST = 9_007_199_254_740_993n
/** An answer of some megabytes, which takes long to parse because no number loses a digit. */
const LARGE = `{"id":"q","columns":[${JSON.stringify(BIGINT)}],"stats":{"state":"FINISHED"},"data":[${Array.from(
  { length: COUNT },
  (_, n) => `[${FIRST + BigInt(n)}]`,
)}]}`
const page = {
  kind: 'page',
  range: { offset: COUNT - 1, limit: 5 },
  limits: { pageBytes: MIB, rowBytes: MIB },
} as const

describe('the process that reads rows of Trino', () => {
  const stops: (() => unknown)[] = []
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  })

  /** A coordinator that answers as the test wants, and a process that asks it. */
  async function asking(
    answer: (request: IncomingMessage, response: ServerResponse) => void,
    { auth, memoryLimitBytes }: { auth?: TrinoAuth; memoryLimitBytes?: number } = {},
  ): Promise<RowProcess> {
    const server: Server = createServer(answer)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    stops.push(() => {
      server.close()
      server.closeAllConnections()
    })
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const rows = new RowProcess(
      { url, user: 'foldgate', catalog: 'iceberg', auth },
      async () => tmpdir(),
      memoryLimitBytes,
    )
    stops.push(() => rows.close())
    return rows
  }

  const statement = (signal = new AbortController().signal) => ({ sql: 'SELECT n', source: 'foldgate/1', signal })

  it('leaves the service free while it reads', async () => {
    const rows = await asking((_, response) => response.end(LARGE))
    let made = await rows.run(statement(), page) // has started
    /** Processor time, of which other work on the machine takes none; the garbage collector makes single runs longer. */
    const spent = async (work: () => unknown) => {
      const times: number[] = []
      for (let run = 0; run < 3; run++) {
        const before = process.cpuUsage()
        await work()
        times.push(process.cpuUsage(before).user)
      }
      return Math.min(...times)
    }
    const parsing = await spent(() => parseLossless(LARGE))
    const waiting = await spent(async () => {
      made = await rows.run(statement(), page)
    })
    assert.deepEqual(
      [Buffer.from(made.json).toString(), made.rows, made.more],
      [`{"n":"${FIRST + BigInt(COUNT - 1)}"}`, 1, false],
    )
    assert.ok(waiting < parsing / 2, `the service was busy for ${waiting} µs, parsing takes ${parsing} µs`)
  })

  it('refuses an answer that does not fit into memory', async () => {
    const part = Buffer.alloc(MIB, ' ')
    let isCut = false
    const rows = await asking((_, response) => {
      response.on('close', () => {
        isCut = true
      })
      const more = () => {
        while (!response.destroyed && response.write(part));
      }
      response.on('drain', more)
      more()
    })
    await assert.rejects(rows.run(statement(), page), { kind: 'memory' })
    await until(() => isCut, 'the answer is cut')
  })

  it('fails alone when its memory ends, and is started again', async () => {
    const nested = `{"id":"q","stats":{"state":"RUNNING"},"data":[${'[],'.repeat(8 * MIB)}[]]}`
    let asked = 0
    const rows = await asking((_, response) => response.end(++asked === 1 ? nested : LARGE), {
      memoryLimitBytes: 512 * MIB,
    })
    await assert.rejects(rows.run(statement(), page), { kind: 'disk' })
    assert.equal((await rows.run(statement(), page)).rows, 1)
  }).timeout(60_000)

  it('names what has ended it, and is started again', async function () {
    if (process.platform !== 'linux') this.skip()
    let asked = 0
    const rows = await asking((_, response) => void (++asked > 1 && response.end(LARGE)))
    const running = rows.run(statement(), page)
    running.catch(() => {})
    await until(() => asked > 0, 'the statement runs')
    process.kill(rows.pids[0] as number, 'SIGKILL')
    await assert.rejects(running, { kind: 'disk', cause: new Error('it was killed from outside by SIGKILL') })
    assert.equal((await rows.run(statement(), page)).rows, 1)
  })

  it('asks the service for the token each time, and passes on that it has none', async () => {
    const seen: (string | undefined)[] = []
    let count = 0
    const token = () => {
      count += 1
      if (count > 2) throw new Error('the secret of the host')
      return `token-${count}`
    }
    const rows = await asking(
      (request, response) => {
        seen.push(request.headers.authorization)
        response.end(LARGE)
      },
      { auth: { token } },
    )
    await rows.run(statement(), page)
    await rows.run(statement(), page)
    await assert.rejects(rows.run(statement(), page), (cause: Error & { kind?: string }) => {
      assert.equal(cause.kind, 'disk')
      assert.doesNotMatch(JSON.stringify([cause.message, String(cause.cause)]), /secret of the host/)
      return true
    })
    assert.deepEqual(seen, ['Bearer token-1', 'Bearer token-2'])
  })

  it('ends a statement whose caller has left', async () => {
    const methods: string[] = []
    const rows = await asking((request, response) => {
      methods.push(request.method ?? '')
      const nextUri = `http://${request.headers.host}/v1/statement/executing/q/1`
      if (request.method === 'POST') response.end(JSON.stringify({ id: 'q', nextUri, stats: { state: 'RUNNING' } }))
      if (request.method === 'DELETE') response.end()
    })
    const leaving = new AbortController()
    const running = rows.run(statement(leaving.signal), page)
    running.catch(() => {})
    await until(() => methods.includes('GET'), 'the statement runs')
    leaving.abort()
    await assert.rejects(running, { kind: 'cancelled' })
    await until(() => methods.includes('DELETE'), 'the statement is ended')
    await assert.rejects(rows.run(statement(leaving.signal), page), { kind: 'cancelled' })
  })
})
