import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { EngineFailure } from 'foldgate/engine'
import { TrinoClient } from '#trino/protocol/client.js'

const TASKS = { stages: [{ tasks: [{ taskStatus: { nodeId: 'one' } }, { taskStatus: { nodeId: 'two' } }] }] }

describe('a statement on a cluster of Trino that runs out of time', () => {
  let coordinator: Server
  let client: TrinoClient
  /** Nodes that the cluster has; null for a coordinator that does not tell. */
  let nodes: string[] | null
  /** How the coordinator ends the statement; otherwise it never does. */
  let error: object | undefined
  let asked: string[]
  before(async () => {
    coordinator = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      asked.push(`${request.method} ${request.url}`)
      const answer = (value: object, status = 200) => response.writeHead(status).end(JSON.stringify(value))
      if (request.url === '/v1/query/endless') return nodes ? answer(TASKS) : answer({}, 403)
      const isLook = body.includes('system.runtime.nodes')
      if (isLook) {
        const columns = [{ name: 'node_id', typeSignature: { rawType: 'varchar', arguments: [] } }]
        return answer({ id: 'look', columns, data: nodes?.map(node => [node]), stats: { state: 'FINISHED' } })
      }
      const nextUri = 'http://127.0.0.1/v1/statement/executing/endless'
      answer({ id: 'endless', stats: { state: 'RUNNING' }, ...(error ? { error } : { nextUri }) })
    }).listen(0, '127.0.0.1')
    await once(coordinator, 'listening')
    const url = new URL(`http://127.0.0.1:${(coordinator.address() as AddressInfo).port}`)
    client = new TrinoClient({ url, user: 'foldgate', auth: undefined, catalog: 'foldgate' })
  })
  beforeEach(() => {
    error = undefined
    asked = []
  })
  after(() => coordinator.close())

  const failing = async (more: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const { signal } = new AbortController()
    const request = { sql: 'SELECT 1', source: 'foldgate/0', signal, timeoutMs: 50, ...more }
    return client.rows(request).then(
      () => assert.fail('it ended'),
      ({ kind }: EngineFailure) => kind,
    )
  }

  for (const [what, given, kind] of [
    ['is of the caller while all workers that ran it are there', ['coordinator', 'one', 'two', 'three'], 'timeout'],
    ['is of the cluster when one of them has left', ['coordinator', 'two', 'three'], 'disk'],
    ['is of the caller when the coordinator does not tell', null, 'timeout'],
  ] as const)
    it(what, async () => {
      nodes = given && [...given]
      assert.equal(await failing(), kind)
      error = { errorName: 'EXCEEDED_TIME_LIMIT', errorType: 'INSUFFICIENT_RESOURCES', message: 'too long' }
      assert.equal(await failing(), kind)
    })

  it('is looked at for no other failure', async () => {
    nodes = []
    error = { errorName: 'DIVISION_BY_ZERO', errorType: 'USER_ERROR', message: 'Division by zero' }
    assert.equal(await failing(), 'query')
    assert.equal(await failing({ signal: AbortSignal.abort() }), 'cancelled')
    assert.deepEqual(
      asked.filter(path => path.includes('/v1/query')),
      [],
    )
  })
})
