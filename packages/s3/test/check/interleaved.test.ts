import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { snapshotFiles } from 'foldgate/sealing'
import type { S3Snapshots } from '#s3/snapshots.js'
import { Actor } from './actor.js'
import { MemoryStore } from './memory-store.js'
import { publishTables } from './shared-tables.js'

const PROJECT = '0a000000-0000-4000-8000-000000000001'
/** Further schedules are like some before: no publisher or removal here sends as many requests. */
const MOST_REQUESTS = 60

describe('a snapshot in S3 that is published while one with the same files is removed', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-copies-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  const shared = { shared: 'the rows of a table' }
  const [first, second, third] = ['1', '2', '3'].map(rows => ({ ...shared, own: rows })) as [object, object, object]
  const publish = (store: S3Snapshots, tables: object) => publishTables(store, PROJECT, { ...tables })

  /** Runs both with some requests of each in turn; returns how many the publisher sent, and whether it named a file. */
  async function run(remove: (store: S3Snapshots, other: S3Snapshots) => Promise<unknown>, turns: readonly number[]) {
    const store = new MemoryStore()
    const open = (who: string) => store.open(folder, 1e6, who)
    const earlier = await publish(open('earlier'), first)
    const actors: Record<string, Actor> = { publisher: new Actor(), removal: new Actor() }
    store.before = (_, who) => actors[who]?.pass()
    const { publisher, removal } = actors as { publisher: Actor; removal: Actor }
    publisher.start(() => publish(open('publisher'), third))
    const sent = { publisher: 0, removal: 0 }
    for (const [at, most] of turns.entries())
      if (at % 2 === 0) sent.publisher += await publisher.run(most)
      else {
        if (at === 1) removal.start(() => remove(open('removal'), open('other')))
        sent.removal += await removal.run(most)
      }
    await removal.end()
    await publisher.end()

    const after = open('after')
    const kept = await after.manifests(PROJECT)
    const [published] = kept.filter(({ snapshotId }) => snapshotId !== earlier.snapshotId)
    for (const { snapshotId } of kept)
      assert.deepEqual(await after.verify(PROJECT, snapshotId), [], `${turns}: ${store.requests.join('\n')}`)
    assert.deepEqual([...store.keys('linking/'), ...store.keys('removing/')], [], 'both have ended')
    const files = published ? snapshotFiles(published) : []
    const isNamed = files.some(({ holder }) => holder === earlier.snapshotId.slice(7))
    await after.remove(PROJECT)
    assert.deepEqual(store.keys(''), [], 'nothing is left')
    const isRemoved = kept.every(({ snapshotId }) => snapshotId !== earlier.snapshotId)
    return { isNamed, isRemoved, sent }
  }

  for (const [what, remove] of [
    ['with its project', (store: S3Snapshots) => store.remove(PROJECT)],
    [
      'by pruning, after another was published',
      async (store: S3Snapshots, other: S3Snapshots) => {
        await publish(other, { ...second, shared: 'other rows' })
        return store.prune(PROJECT, 1)
      },
    ],
  ] as const)
    it(`is whole in every order of their requests, ${what}`, async () => {
      const removed = { named: 0, unnamed: 0 }
      const all = await run(remove, [MOST_REQUESTS, MOST_REQUESTS])
      const { publisher, removal } = (await run(remove, [0, MOST_REQUESTS, MOST_REQUESTS])).sent
      assert.ok(publisher > 8 && removal > 8 && all.sent.publisher < MOST_REQUESTS)
      for (let before = 1; before <= publisher + 2; before++)
        for (let meanwhile = 1; meanwhile <= removal + 2; meanwhile++)
          for (let later = 1; later <= publisher + 2 - before; later += 2) {
            const found = await run(remove, [before, meanwhile, later])
            if (found.isRemoved) removed[found.isNamed ? 'named' : 'unnamed'] += 1
          }
      assert.ok(removed.named > 10 && removed.unnamed > 10, JSON.stringify(removed))
    }).timeout(300_000)
})
