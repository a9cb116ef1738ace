import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SnapshotManifest } from 'foldgate/sealing'
import type { S3Snapshots } from '#s3/snapshots.js'
import { Actor } from './actor.js'
import { MemoryStore } from './memory-store.js'
import { publishTables } from './shared-tables.js'

const { signal } = new AbortController()
const DAY_MS = 86_400_000
const MOST_REQUESTS = 60

describe('a snapshot in S3 that is published only after the one it was made from', () => {
  let folder: string
  let store: MemoryStore
  let snapshots: S3Snapshots
  let projectId: string
  const opened: S3Snapshots[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
    renew()
  })
  afterEach(async () => {
    for (const each of opened.splice(0)) each.close()
    await rm(folder, { recursive: true, force: true })
  })

  function renew(): void {
    store = new MemoryStore()
    projectId = randomUUID()
    snapshots = open()
  }
  function open(who?: string): S3Snapshots {
    const made = store.open(folder, 1e6, who)
    opened.push(made)
    return made
  }
  const tables = { a: 'rows of a', b: 'rows of b' }
  const publish = (b: string, after?: string | null, by = snapshots) =>
    publishTables(by, projectId, { ...tables, b }, { after })
  const outdated = { name: 'OutdatedBase' }
  const numberOf = ({ snapshotId }: SnapshotManifest) => Number(snapshotId.slice(0, 6))
  /** All keys but the numbers, of which one is left by whoever took it and published nothing. */
  const keys = () => store.keys('').filter(key => !key.startsWith('numbers/'))

  it('has the next number, and is refused once there is a newer one', async () => {
    const first = await publish('1', null)
    await assert.rejects(publish('2', null), outdated)
    const second = await publish('2', first.snapshotId)
    assert.deepEqual([numberOf(first), numberOf(second)], [1, 2])
    const before = store.keys('')
    await assert.rejects(publish('3', first.snapshotId), outdated)
    await assert.rejects(publish('3', `000002-${randomUUID()}`), outdated)
    assert.deepEqual(store.keys(''), before)
  })

  it('is the only one of two that are published at once, in every order of their requests', async () => {
    let most = MOST_REQUESTS
    for (let before = 1; before <= most; before++)
      for (let meanwhile = 1; meanwhile <= most; meanwhile++) {
        renew()
        const base = await publish('0')
        const [one, two] = [new Actor(), new Actor()]
        store.before = (_, who) => ({ one, two })[who]?.pass()
        one.start(() => publish('1', base.snapshotId, open('one')))
        two.start(() => publish('2', base.snapshotId, open('two')))
        const sent = await one.run(before)
        await two.run(meanwhile)
        const ends = await Promise.allSettled([one.end(), two.end()])
        const failures = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
        assert.deepEqual(
          failures.map(({ name }) => name),
          ['OutdatedBase'],
          `${before}, ${meanwhile}`,
        )
        store.before = () => {}
        const [newest, ...others] = await snapshots.manifests(projectId)
        assert.deepEqual(others, [base])
        assert.ok(newest)
        assert.deepEqual(await snapshots.verify(projectId, newest.snapshotId), [])
        assert.deepEqual(store.keys('linking/'), [])
        assert.equal(store.keys('tables/').length, 3 + 1, 'the loser leaves nothing')
        if (sent < before) most = before
      }
    assert.ok(most > 8 && most < MOST_REQUESTS)
  }).timeout(120_000)

  it('is refused while another publisher has the next number, and not for ever when that was killed', async () => {
    const base = await publish('0')
    let isOver = false
    store.before = request => {
      isOver ||= request.startsWith('PUT manifests/')
      if (isOver) throw new Error('killed')
    }
    await assert.rejects(publish('1', base.snapshotId), /killed/)
    store.before = () => {}
    const [announced = ''] = store.keys('linking/')
    const left = keys()
    await assert.rejects(publish('2', base.snapshotId), outdated)
    assert.deepEqual(keys(), left)
    store.writtenAt.set(announced, Date.now() - DAY_MS - 1)
    const next = await publish('2', base.snapshotId)
    assert.equal(numberOf(next), 3)
    store.objects.delete(announced)
    assert.equal(numberOf(await publish('3', next.snapshotId)), 4)
  })

  it('is refused for a day when an earlier version took the next number', async () => {
    const base = await publish('0')
    const number = `numbers/${projectId}/000002`
    store.objects.set(number, Buffer.from('\n'))
    store.writtenAt.set(number, Date.now() - DAY_MS + 60_000)
    await assert.rejects(publish('1', base.snapshotId), outdated)
    store.writtenAt.set(number, Date.now() - DAY_MS - 60_000)
    assert.equal(numberOf(await publish('1', base.snapshotId)), 3)
  })

  it('has the number of a request whose answer was lost', async () => {
    const base = await publish('0')
    let isLost = false
    // The store takes the number, and the client repeats its request.
    store.before = request => {
      if (isLost || !request.startsWith('PUT numbers/')) return
      isLost = true
      const [holder = ''] = store.keys('linking/').map(key => key.split('/')[2])
      store.objects.set(request.slice('PUT '.length), Buffer.from(`${holder}\n`))
    }
    assert.equal(numberOf(await publish('1', base.snapshotId)), 2)
    assert.ok(isLost)
    assert.deepEqual(await snapshots.list(projectId, signal), (await snapshots.manifests(projectId)).map(idOf))
  })

  it('follows one that was published without a base', async () => {
    const base = await publish('0')
    const free = await publish('1')
    await assert.rejects(publish('2', base.snapshotId), outdated)
    assert.equal(numberOf(await publish('2', free.snapshotId)), 3)
  })
})

function idOf({ snapshotId }: SnapshotManifest): string {
  return snapshotId
}
