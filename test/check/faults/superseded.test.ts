import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCatalogue, defineFold } from 'foldgate'
import { SnapshotHolds } from '#lib/engine/holds.js'
import { catalogue } from '../../service/catalogue.js'
import { OTHER_PROJECT, PACKAGE, PROJECT, type Service, startService } from '../../service/service.js'
import { until } from '../../until.js'
import { appears } from './appears.js'

const SLOW = defineFold({
  name: 'slow',
  about: 'Counts far.',
  reads: ['amounts'],
  sql: 'SELECT (SELECT sum(amount) FROM amounts) AS total, count(*) AS n FROM range(24000000000)',
})
const CHANGED = { ...PACKAGE, 'amounts.csv': PACKAGE['amounts.csv'].replace('water,10', 'water,11') }

/** In time, nothing is below the folder of a project but this snapshot. */
async function isAlone(folder: string, snapshotId: string): Promise<void> {
  await until(async () => (await readdir(folder)).length === 1, 'one snapshot alone')
  assert.deepEqual(await readdir(folder), [snapshotId])
}

describe('a snapshot that is superseded', () => {
  let service: Service
  let newest: string
  before(async () => {
    const { hierarchy, relations, examples } = catalogue
    service = await startService({
      catalogue: defineCatalogue({ hierarchy, examples, relations: [...relations.values(), SLOW] }),
      engine: { connections: 3 }, // for two builds and a call
    })
  })
  after(() => service.close())

  const folder = () => join(service.folder, 'engine', 'cache', PROJECT)
  const total = async (sql: string) => {
    const { body } = await service.call('projects/query', { projectId: PROJECT, sql })
    return body.result?.items?.[0]?.total ?? body.message
  }
  const builds = () => service.events.filter(event => event.type === 'build')
  const faults = () => service.events.filter(event => (event.type === 'build' ? event.cause : event.type === 'fault'))

  /** Starts the slow build and gives it back once its relation is being written. */
  async function slowly() {
    const before = await readdir(folder(), { recursive: true }).catch(() => [] as string[])
    let isOver = false
    const answer = total('SELECT total FROM slow').finally(() => {
      isOver = true
    })
    await appears(folder(), name => name.endsWith('.tmp') && !before.includes(name))
    return { answer, isOver: () => isOver }
  }

  it('serves the query that builds over it to its end, and is gone with it', async () => {
    const { answer, isOver } = await slowly()
    newest = await service.seal(PROJECT, CHANGED)
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts'), 178)
    assert.equal(isOver(), false)
    assert.equal((await readdir(folder())).length, 2)
    assert.equal(await answer, 177)
    await isAlone(folder(), newest)
    assert.deepEqual(faults(), [])
  })

  it('takes nothing from the newest when a call comes late that had looked it up', async () => {
    const { list } = service.snapshots
    let look = () => {}
    const looked = new Promise<void>(resolve => (look = resolve))
    service.snapshots.list = async (...asked) => {
      const found = await list(...asked)
      service.snapshots.list = list
      await looked
      return [...found].reverse()
    }
    const late = total('SELECT sum(amount) AS total FROM amounts WHERE amount > 0')
    await until(() => service.snapshots.list === list, 'it has looked')
    const { answer, isOver } = await slowly()
    look()
    assert.equal(await late, 177)
    assert.equal(isOver(), false)
    assert.equal(await answer, 178)
    await isAlone(folder(), newest)
    assert.deepEqual(faults(), [])
    const made = builds().length
    assert.equal(await total('SELECT sum(amount) AS total FROM amounts WHERE amount > 1'), 178)
    assert.equal(builds().length, made)
  })
})

describe('a query that waits for a connection', () => {
  it('finds the files of its snapshot there, although a newer one is queried meanwhile', async () => {
    const service = await startService({ engine: { connections: 1 }, limits: { connectionWaitMs: 20_000 } })
    try {
      const ask = async (sql: string, projectId = PROJECT) => {
        const { body } = await service.call('projects/query', { projectId, sql })
        return Object.values(body.result?.items?.[0] ?? { message: body.message })[0]
      }
      const waiting = (count: number) => until(() => service.api.stats().waiting >= count, 'they wait')
      const builds = () => service.events.filter(event => event.type === 'build').length
      assert.equal(await ask('SELECT sum(amount) AS total FROM amounts'), 177)
      const before = builds()
      const long = ask('SELECT count(*) AS n FROM range(1000000000) t(i) WHERE hash(i) > 0', OTHER_PROJECT)
      await until(() => service.api.stats().busy > 0, 'it is at work')
      const old = ask('SELECT sum(amount) AS total FROM amounts WHERE amount > 0')
      await waiting(1)
      const newest = await service.seal(PROJECT, CHANGED)
      const other = ask('SELECT 1 AS one')
      await waiting(2)
      assert.deepEqual((await Promise.all([old, other, long])).slice(0, 2), [177, 1])
      assert.equal(builds(), before)
      await isAlone(join(service.folder, 'engine', 'cache', PROJECT), newest)
    } finally {
      await service.close()
    }
  })
})

describe('holds of snapshots', () => {
  it('take for the newest the one that was looked up last, whoever comes first', () => {
    const gone = new Set<string>()
    const holds = new SnapshotHolds((_, stays) => {
      for (const id of ['a', 'b']) if (!stays(id)) gone.add(id)
    })
    const use = (id: string, seenAt: number) => {
      gone.clear()
      holds.hold('p', id, seenAt)()
      return [...gone]
    }
    assert.deepEqual(use('b', 2), ['a'])
    assert.deepEqual(use('a', 1), ['a']) // it came late
    assert.deepEqual(use('b', 3), [])
    assert.deepEqual(use('a', 4), ['b']) // the host has gone back to it
    const release = holds.hold('p', 'a', 5)
    assert.deepEqual(use('b', 6), [])
    release()
    assert.deepEqual([...gone], ['a'])
  })
})
