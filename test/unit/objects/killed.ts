import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SnapshotStore } from 'foldgate/sealing'
import type { ObjectStore } from '#lib/objects/store.js'
import { gated } from './memory.js'
import { mustBeClean, mustBeWhole, openSnapshots, PROJECT, publish, signal } from './world.js'

/** A store to test, and how two days pass in it; null where they cannot. */
export interface Tried {
  store: ObjectStore
  now(): number
  pass: (() => Promise<void>) | null
  close(): Promise<void>
}

/** What a process does that is killed. */
const WORKS: Readonly<Record<string, (snapshots: SnapshotStore, folder: string) => Promise<unknown>>> = {
  'publishes a snapshot that shares a file': (snapshots, folder) => publish(snapshots, folder, ['b', 'new']),
  async 'publishes one after the newest'(snapshots, folder) {
    const [newest = null] = await snapshots.list(PROJECT, signal)
    await publish(snapshots, folder, ['b', 'appended'], { after: newest })
  },
  prunes: snapshots => snapshots.prune(PROJECT, 1),
  'removes the project': snapshots => snapshots.remove(PROJECT),
  sweeps: snapshots => snapshots.sweep(),
}

/** A process that was killed. */
class Killed extends Error {}

/** Registers tests of a process that is killed at each of its requests. */
export function testKills(open: () => Promise<Tried>): void {
  for (const [what, work] of Object.entries(WORKS))
    it(`are whole after a process was killed at any request while it ${what}`, async function () {
      this.timeout(120_000)
      let tried = 0
      for (let isOver = false; !isOver; tried++) isOver = await killAt(tried, open, work)
      assert.ok(tried > 3, `${tried} requests`)
    })
}

/**
 * Kills a process before a request, or after it if the number is odd, and then looks at what is left with another one.
 * Returns whether the process had ended by itself.
 */
async function killAt(
  at: number,
  open: () => Promise<Tried>,
  work: (snapshots: SnapshotStore, folder: string) => Promise<unknown>,
): Promise<boolean> {
  const [folder, { store, now, pass, close }] = [await mkdtemp(join(tmpdir(), 'foldgate-killed-')), await open()]
  try {
    const sound = openSnapshots(store, now)
    await publish(sound, folder, ['a'])
    await publish(sound, folder, ['a', 'b'])
    if (pass && work === WORKS.sweeps) {
      await sound.prune(PROJECT, 1)
      await pass()
    }
    const before = await sound.list(PROJECT, signal)
    let moments = 0
    const gate = async () => {
      if (moments++ >= at) throw new Killed('killed')
    }
    const killed = await work(openSnapshots(gated(store, gate), now), folder).then(
      () => false,
      cause => cause instanceof Killed || /killed/.test(String(cause)) || assert.fail(cause),
    )
    // What a process still does once it was killed is nothing: everything after the moment has failed.
    const others = openSnapshots(store, now)
    const listed = await others.list(PROJECT, signal)
    assert.ok(listed.every(id => before.includes(id)) || listed.slice(1).every(id => before.includes(id)))
    for (const id of listed) assert.deepEqual(await others.verify(PROJECT, id), [], id)
    await mustBeWhole(store, now(), `after ${at} moments`)
    await mkdir(join(folder, 'again'))
    const next = await publish(others, join(folder, 'again'), ['b', 'c'])
    assert.equal((await others.list(PROJECT, signal))[0], next.snapshotId)
    if (pass) {
      await pass()
      await others.sweep()
      // The first sweep may remove manifests whose files the second one removes.
      await others.sweep()
      await mustBeClean(store, others)
    }
    for (const id of await others.list(PROJECT, signal)) assert.deepEqual(await others.verify(PROJECT, id), [], id)
    return !killed
  } finally {
    await rm(folder, { recursive: true })
    await close()
  }
}
