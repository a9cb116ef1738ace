import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type AnalyticsEvent,
  createAnalyticsApi,
  defineCatalogue,
  defineFold,
  defineQuery,
  duckdbEngine,
} from 'foldgate'
import type { Engine } from 'foldgate/engine'
import { checkCatalogue } from 'foldgate/sealing'
import { Engines } from '#lib/engine/engines.js'
import { catalogue } from '../service/catalogue.js'
import { TestHost } from '../service/ports.js'
import { PROJECT, startService } from '../service/service.js'
import { until } from '../until.js'

const about = 'A part of the tests.'
const sql = 'SELECT item, amount FROM amounts'
/** A catalogue with three mistakes; each call has one of its own, since a process checks a catalogue once. */
const wrong = () =>
  defineCatalogue({
    hierarchy: catalogue.hierarchy,
    relations: [
      ...catalogue.relations.values(),
      defineFold({ name: 'no_column', about, reads: ['amounts'], sql: 'SELECT quantity FROM amounts' }),
    ],
    examples: [{ question: 'How many?', sql: 'SELECT nothing FROM amounts' }],
    queries: [
      defineQuery({ name: 'other', version: 2, about, sql, columns: { item: 'VARCHAR', sum: 'DOUBLE' } }),
      defineQuery({ name: 'right_one', version: 1, about, sql, columns: { item: 'VARCHAR', amount: 'DOUBLE' } }),
    ],
  })

/** Ids of the processes that this one has started and that have not ended. */
async function children(): Promise<number[]> {
  const tasks = await readdir('/proc/self/task')
  const lists = await Promise.all(
    tasks.map(task => readFile(`/proc/self/task/${task}/children`, 'utf8').catch(() => '')),
  )
  return lists.flatMap(list => list.split(' ').filter(Boolean).map(Number))
}

const told = (events: readonly AnalyticsEvent[]) =>
  events.flatMap(event => (event.type === 'catalogue' ? { place: event.place, message: event.message } : []))

describe('a catalogue with mistakes', () => {
  it('is served, and its mistakes are told in events and by health()', async () => {
    const service = await startService({ catalogue: wrong(), sealedAs: catalogue })
    try {
      assert.equal((await service.call('projects/query', { projectId: PROJECT, sql })).status, 200)
      await until(async () => (await service.api.health()).catalogue !== null, 'the catalogue is checked')
      const expected = await checkCatalogue(wrong())
      assert.deepEqual(
        expected.map(({ place }) => place),
        ['fold "no_column"', 'example 1 ("How many?")', 'query "other@2"'],
      )
      assert.deepEqual((await service.api.health()).catalogue, expected)
      assert.deepEqual(told(service.events), expected)
      const answer = await service.call('projects/query', { projectId: PROJECT, sql })
      assert.equal(answer.status, 200)
    } finally {
      await service.close()
    }
  })

  it('is checked again by no other service of the process', async () => {
    const shared = wrong()
    for (const round of [1, 2]) {
      const service = await startService({ catalogue: shared, sealedAs: catalogue })
      try {
        await until(async () => (await service.api.health()).catalogue !== null, 'the catalogue is checked')
        assert.equal(told(service.events).length, 3, `service ${round}`)
      } finally {
        await service.close()
      }
    }
  })

  it('leaves no process and no file when the service is closed meanwhile', async function () {
    if (process.platform !== 'linux') this.skip()
    const before = await children()
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const events: AnalyticsEvent[] = []
    try {
      const host = new TestHost()
      const api = createAnalyticsApi({
        baseUrl: 'http://127.0.0.1',
        secrets: ['a secret of the tests, long enough to seal'],
        catalogue: wrong(),
        keys: host.keyPort,
        projects: host.projectPort,
        snapshots: { list: async () => [], manifestOf: async () => null, open: async () => null },
        exports: { put: async () => {}, open: async () => null },
        onEvent: event => void events.push(event),
        engine: duckdbEngine({ folder, connections: 1, spares: 1 }),
      })
      const scratch = join(folder, 'scratch')
      await until(
        async () => (await readdir(scratch).catch(() => [])).some(name => name.startsWith('check-')),
        'a check',
      )
      await api.close()
      assert.deepEqual(
        (await readdir(scratch)).filter(name => name.startsWith('check-')),
        [],
      )
      assert.deepEqual(await children(), before)
      assert.deepEqual(
        events.filter(({ type }) => type === 'catalogue' || type === 'dependency'),
        [],
      )
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('an engine that checks the catalogue', () => {
  const limits = {} as never
  const open = (engine: Partial<Engine>) => {
    const events: AnalyticsEvent[] = []
    const opened = { ready: async () => {}, close: async () => {}, ...engine } as Engine
    const host = { catalogue, limits, onEvent: (event: AnalyticsEvent) => void events.push(event) }
    return { engines: new Engines({ engine: () => opened }, host), events }
  }

  it('does so once it is ready, and no other need check it', async () => {
    let isReady = () => {}
    const ready = () =>
      new Promise<void>(resolve => {
        isReady = resolve
      })
    const asked: string[] = []
    const checkCatalogue = async () => {
      asked.push('checked')
      return []
    }
    const { engines } = open({ ready, checkCatalogue })
    await new Promise(setImmediate)
    assert.deepEqual([asked, engines.mistakes], [[], null])
    isReady()
    await until(() => engines.mistakes !== null, 'a check')
    assert.deepEqual([asked, engines.mistakes], [['checked'], []])
    const other = open({})
    await other.engines.close()
    assert.deepEqual([other.engines.mistakes, other.events], [null, []])
  })

  it('tells that it could not, and at most 100 mistakes', async () => {
    const cause = new Error('no processes left')
    const failing = open({ checkCatalogue: () => Promise.reject(cause) })
    await until(() => failing.events.length > 0, 'an event')
    assert.deepEqual(failing.events, [{ type: 'dependency', port: 'engine', cause }])
    assert.equal(failing.engines.mistakes, null)
    const many = Array.from({ length: 1000 }, (_, at) => ({ place: `fold "${at}"`, message: 'it is wrong' }))
    const full = open({ checkCatalogue: async () => many })
    await until(() => full.engines.mistakes !== null, 'a check')
    assert.deepEqual([full.engines.mistakes?.length, full.events.length], [100, 100])
  })

  it('is stopped when the service is closed, which tells nothing', async () => {
    let stopped: unknown
    const { engines, events } = open({
      checkCatalogue: signal =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => {
            stopped = signal.reason
            reject(signal.reason)
          })
        }),
    })
    await new Promise(setImmediate)
    await engines.close()
    assert.ok(stopped)
    assert.deepEqual(events, [])
  })
})
