import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { batchesOf, forEachBatch, halvesOf } from './batches.js'
import { type EdgeCall, edgeCalls, edgeQuery, textFunctions } from './calls.js'
import { EDGES } from './edges.js'

const MIB = 1024 ** 2
/** Little, so that calls that use up memory or time end soon; each of the others needs a fraction of it. */
const LIMITS = { queryTimeoutMs: 4_000 }
const ENGINE = { connections: 2, spillBytes: 64 * MIB }

describe('strings that accepted statements make', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: LIMITS, engine: ENGINE })
  })
  after(() => service.close())

  /** The results of calls that are not UTF-8, and the number of calls with any result. */
  async function broken(calls: readonly EdgeCall[]): Promise<{ found: string[]; answered: number }> {
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql: edgeQuery(calls) })
    if (status !== 200 && calls.length > 1) return brokenOf(halvesOf(calls))
    const [call] = calls as [EdgeCall]
    if (status !== 200) {
      const isTold = ['INVALID_QUERY', 'QUERY_TIMEOUT', 'QUERY_TOO_LARGE'].includes(body.class ?? '')
      return { found: isTold ? [] : [`${call.expression}: ${body.class} ${body.message}`], answered: 0 }
    }
    const lists = Object.values(body.result?.items?.[0] ?? {}) as ((string | null)[] | null)[]
    const found = lists.flatMap((list, index) =>
      (list ?? []).flatMap(hex =>
        hex === null || isUtf8(Buffer.from(hex, 'hex')) ? [] : [`${calls[index]?.expression}: ${hex.slice(0, 200)}`],
      ),
    )
    return { found, answered: lists.filter(list => list?.some(hex => hex !== null)).length }
  }

  async function brokenOf(batches: readonly EdgeCall[][], atOnce = 1): Promise<{ found: string[]; answered: number }> {
    const total = { found: [] as string[], answered: 0 }
    await forEachBatch(batches, atOnce, async batch => {
      const { found, answered } = await broken(batch)
      total.found.push(...found)
      total.answered += answered
    })
    return total
  }

  /** Ignores processes that were killed because a statement exceeded its time. */
  function assertNoProcessDied(): void {
    const died = service.events.filter(
      event => event.type === 'engine' && event.what === 'died' && !event.detail.startsWith('SIGKILL'),
    )
    assert.deepEqual(died, [])
  }

  it('are UTF-8 for every function of edge values', async () => {
    const calls = await edgeCalls()
    const { found, answered } = await brokenOf(batchesOf(calls), ENGINE.connections)
    assert.deepEqual(found, [])
    assertNoProcessDied()
    assert.ok(answered > 1_500, `${answered} of ${calls.length} calls were answered`)
  }).timeout(600_000)

  it('are UTF-8 for every composition of two functions', async () => {
    const columns = new Map([['a0', EDGES.VARCHAR ?? []]])
    const functions: string[] = []
    for (const call of await textFunctions()) {
      const alone = await broken([{ expression: call.replaceAll('$', 'a0'), columns, isAggregate: false }])
      if (alone.answered > 0) functions.push(call) // the guard refuses computed formats and patterns
    }
    assert.ok(functions.length > 80, `${functions.length} functions`)
    const pairs = functions.flatMap(outer =>
      functions.map(inner => ({
        expression: outer.replaceAll('$', `TRY(${inner.replaceAll('$', 'a0')})`),
        columns,
        isAggregate: false,
      })),
    )
    const { found, answered } = await brokenOf(batchesOf(pairs), ENGINE.connections)
    assert.deepEqual(found, [])
    assertNoProcessDied()
    assert.ok(answered > pairs.length / 2, `${answered} of ${pairs.length} pairs were answered`)
  }).timeout(1_200_000)
})
