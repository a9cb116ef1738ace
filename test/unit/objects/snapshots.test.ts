import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { folderObjects } from '#lib/objects/folder.js'
import { interleave } from './interleaved.js'
import { type Tried, testKills } from './killed.js'
import { gated, MemoryObjects } from './memory.js'
import { openSnapshots, PROJECT } from './world.js'

const TWO_DAYS_MS = 2 * 86_400_000

async function inMemory(): Promise<Tried> {
  const store = new MemoryObjects()
  const pass = async () => {
    store.now += TWO_DAYS_MS
  }
  return { store, now: () => store.now, pass, close: async () => {} }
}

/** A folder, in which two days pass by all files becoming as much older. */
async function inFolder(): Promise<Tried> {
  const folder = await mkdtemp(join(tmpdir(), 'foldgate-objects-'))
  const pass = async () => {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const then = new Date(Date.now() - TWO_DAYS_MS)
      if (entry.isFile()) await utimes(join(entry.parentPath, entry.name), then, then)
    }
  }
  return { store: folderObjects(folder), now: Date.now, pass, close: () => rm(folder, { recursive: true }) }
}

describe('snapshots in an object store', () => {
  describe('in memory', () => testKills(inMemory))
  describe('in a folder', () => testKills(inFolder))

  it('are removed by a reading of the clock of the store that is at most a minute old', async () => {
    const store = new MemoryObjects()
    let readings = 0
    const counting = gated(store, async (moment, request) => {
      if (moment === 'before' && request.startsWith('stat clock/')) readings += 1
    })
    const snapshots = openSnapshots(counting, () => store.now)
    for (let tenant = 0; tenant < 10; tenant++) await snapshots.remove(PROJECT)
    await snapshots.sweep()
    assert.equal(readings, 1)
    store.now += 60_000
    await snapshots.prune(PROJECT, 1)
    assert.equal(readings, 2)
  })

  it('are whole at every moment while several processes publish, prune and sweep, and days pass', async function () {
    this.timeout(120_000)
    const told = new Map<string, number>()
    for (let seed = 1; seed <= 150; seed++)
      for (const each of await interleave(seed)) told.set(each, (told.get(each) ?? 0) + 1)
    for (const kind of ['published', 'unchanged', 'OutdatedBase', 'pruned', 'swept'])
      assert.ok((told.get(kind) ?? 0) > 0, kind)
  })
})
