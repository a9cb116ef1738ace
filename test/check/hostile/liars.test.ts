import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type * as library from 'foldgate'
import { FROM_PROCESS } from '#lib/flow/channel.js'
import { ENTITIES, FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../../service/service.js'
import { until } from '../../until.js'
import { contentOf, Liar, type Lie, placesIn, WRONG } from './liar.js'

const { done, failed } = FROM_PROCESS
const ROWS = [
  { item: 'land', amount: 7 },
  { item: 'water', amount: 170 },
]
/** What the engine's own folders have in them is its own; those of another organization's relations are not. */
const SKIPPED = ['exports', 'scratch', 'outbox', 'results', PROJECT, '.locks']

/** The calls of one organization, and what their jobs and outcomes are. */
const CALLS: readonly {
  what: string
  method: string
  params?: object
  job: string
  outcome: unknown
  as?: 'page 2'
}[] = [
  { what: 'a page', method: 'query', job: '"kind":"rows"', outcome: { rows: 1, more: false } },
  {
    what: 'a binding',
    method: 'query',
    params: { dryRun: true },
    job: '"kind":"bind"',
    outcome: [{ name: 'a', type: 'BIGINT' }],
  },
  {
    what: 'a chunk',
    method: 'query',
    params: { limit: 1 },
    as: 'page 2',
    job: '"kind":"chunk"',
    outcome: { rows: 1, more: false, settledAt: 1 },
  },
  { what: 'an export', method: 'export', params: { format: 'csv' }, job: '"kind":"export"', outcome: { rows: 1 } },
  {
    what: 'a build',
    method: 'query',
    params: { entityId: ENTITIES.half },
    job: '"kind":"build"',
    outcome: [[{ name: 'a', type: 'BIGINT' }]],
  },
]

/** Failures that lead astray. */
const FAILURES = ['view', 'relation', 'snapshot', 'disk', 'memory', 'row-bytes', 'interrupted'].flatMap(kind => [
  { kind, text: '../../../snapshots/x/manifest' },
  ...[0, 1, 99].map(at => ({ kind, text: '../../../../store.db', at, cause: '/etc/passwd', isFull: true })),
])

describe('a service whose processes lie', () => {
  let liar: Liar
  let service: Service
  let untouched: Record<string, string>
  let asked = 0
  before(async function () {
    this.timeout(60_000)
    liar = await Liar.open()
    service = await startService({
      library: await liar.import<typeof library>('index.js'),
      engine: { connections: 1, spares: 2, memoryLimitBytes: 512 * 1024 ** 2 },
    })
    const foreign = await service.seal(FOREIGN_PROJECT)
    await writeFile(join(service.folder, 'store.db'), 'of the host')
    for (const [project, key] of [
      [PROJECT, KEYS.north],
      [FOREIGN_PROJECT, KEYS.south],
    ] as const)
      assert.deepEqual(await rowsOf(project, key), ROWS)
    // Later, what the other organization asks for changes no file.
    await until(async () => {
      assert.deepEqual(await rowsOf(FOREIGN_PROJECT, KEYS.south), ROWS)
      return service.events.some(event => event.type === 'build' && event.snapshotId === foreign)
    }, 'the table is built')
    untouched = await contentOf(service.folder, SKIPPED)
  })
  after(async () => {
    await service.close()
    await liar.close()
  })

  /** A statement that was not asked yet. */
  const fresh = () =>
    `SELECT item, sum(amount)::INTEGER AS amount, ${++asked} AS n FROM amounts GROUP BY item ORDER BY item`

  async function rowsOf(projectId: string, key: string): Promise<unknown> {
    const { body } = await service.call('projects/query', { projectId, sql: fresh() }, key)
    return body.result?.items?.map(({ item, amount }) => ({ item, amount })) ?? body
  }

  async function ask({ method, params, as }: (typeof CALLS)[number]) {
    const call = { projectId: PROJECT, sql: fresh(), ...params }
    const answer = await service.call(`projects/${method}`, call, KEYS.north)
    const cursor = answer.body.result?.nextCursor
    if (as !== 'page 2' || !cursor) return answer
    return service.call(`projects/${method}`, { ...call, cursor }, KEYS.north)
  }

  /** Tells a lie in the calls of one organization: neither the host, nor its files, nor the calls of another are harmed. */
  async function tell(call: (typeof CALLS)[number], lie: Omit<Lie, 'job'>): Promise<void> {
    await liar.tell({ ...lie, job: [call.job, PROJECT] })
    const { status, body } = await ask(call)
    assert.ok([200, 400, 413, 422, 500, 503].includes(status), `${status}`)
    assert.ok(!JSON.stringify(body).includes(service.folder), JSON.stringify([lie, body]))
    assert.deepEqual(await rowsOf(FOREIGN_PROJECT, KEYS.south), ROWS)
    await liar.tell(null)
  }

  for (const call of CALLS) {
    it(`are told nothing else, and go on: ${call.what}`, async () => {
      const places = [...placesIn(call.outcome)]
      // The schemas were tried with each value in each place: here, each value comes in some places.
      for (const [at, path] of places.entries())
        for (const [index, value] of WRONG.entries())
          if ((at + index) % 5 === 0) await tell(call, { kind: done, path, value })
      for (const path of places.slice(1)) await tell(call, { kind: done, path })
      for (const body of ['', 'ff00', Buffer.from('{"x":1}').toString('hex'), 200 * 1024 ** 2])
        await tell(call, { kind: done, path: ['rows'], value: 1, body })
    }).timeout(300_000)

    it(`are not led astray by failures: ${call.what}`, async () => {
      for (const failure of FAILURES) await tell(call, { kind: done, as: failed, path: [], value: failure })
    }).timeout(300_000)

    it(`take no file that is none: ${call.what}`, async () => {
      for (const files of [{ link: join(service.folder, 'store.db') }, { folder: true } as const])
        await tell(call, { kind: done, path: ['more'], value: false, files })
    }).timeout(60_000)
  }

  it('take no verdict that is none', async () => {
    const good = {
      ok: true,
      relations: ['amounts'],
      parameters: [],
      volatile: false,
      anyNumbers: false,
      claims: [],
      length: 10,
    }
    const lies: unknown[] = [[], [good, good], { ...good, relations: ['secret'] }, { ...good, length: 10_000 }]
    const values = [...lies, ...WRONG]
    for (const [at, path] of [...placesIn([good])].entries())
      for (const value of values.filter((_, index) => (at + index) % 4 === 0)) {
        const sql = fresh()
        await liar.tell({ kind: done, job: [sql], path, value })
        const { status } = await service.call('projects/query', { projectId: PROJECT, sql }, KEYS.north)
        assert.ok([200, 400, 422, 500, 503].includes(status), `${status}`)
        assert.deepEqual(await rowsOf(FOREIGN_PROJECT, KEYS.south), ROWS)
      }
    await liar.tell(null)
  }).timeout(300_000)

  it('have nothing of the host changed, and tell why processes ended', async () => {
    assert.deepEqual(await contentOf(service.folder, SKIPPED), untouched)
    assert.deepEqual(await rowsOf(PROJECT, KEYS.north), ROWS)
    const replaced = service.events.filter(event => 'reason' in event && event.reason === 'protocol')
    assert.ok(replaced.length > 50, `${replaced.length}`)
  })
})
