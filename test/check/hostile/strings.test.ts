import assert from 'node:assert/strict'
import { isUtf8 } from 'node:buffer'
import { PROJECT, type Service, startService } from '../../service/service.js'
import { type EdgeCall, edgeCalls, edgeQuery, textFunctions } from './calls.js'
import { EDGES } from './edges.js'

/** Calls per statement. */
const TOGETHER = 40

describe('strings that accepted statements make', () => {
  let service: Service
  before(async () => {
    service = await startService({ limits: { queryTimeoutMs: 10_000 } })
  })
  after(() => service.close())

  /** The results of calls that are not UTF-8, and the number of calls with any result. */
  async function broken(calls: readonly EdgeCall[]): Promise<{ found: string[]; answered: number }> {
    const { status, body } = await service.call('projects/query', { projectId: PROJECT, sql: edgeQuery(calls) })
    if (status !== 200 && calls.length > 1) {
      const halves = [calls.slice(0, calls.length / 2), calls.slice(calls.length / 2)]
      const [left, right] = [await broken(halves[0] ?? []), await broken(halves[1] ?? [])]
      return { found: [...left.found, ...right.found], answered: left.answered + right.answered }
    }
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

  /** Ignores processes that were killed because a statement exceeded its time. */
  function assertNoProcessDied(): void {
    const died = service.events.filter(
      event => event.type === 'engine' && event.what === 'died' && !event.detail.startsWith('SIGKILL'),
    )
    assert.deepEqual(died, [])
  }

  it('are UTF-8 for every function of edge values', async () => {
    const calls = await edgeCalls()
    const found: string[] = []
    let answered = 0
    for (const call of calls) {
      const outcome = await broken([call])
      found.push(...outcome.found)
      answered += outcome.answered
    }
    assert.deepEqual(found, [])
    assertNoProcessDied()
    assert.ok(answered > 1_000, `${answered} of ${calls.length} calls were answered`)
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
    const found: string[] = []
    let answered = 0
    for (let at = 0; at < pairs.length; at += TOGETHER) {
      const outcome = await broken(pairs.slice(at, at + TOGETHER))
      found.push(...outcome.found)
      answered += outcome.answered
    }
    assert.deepEqual(found, [])
    assertNoProcessDied()
    assert.ok(answered > pairs.length / 2, `${answered} of ${pairs.length} pairs were answered`)
  }).timeout(1_200_000)
})
