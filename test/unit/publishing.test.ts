import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DirectorySnapshots, directorySnapshots } from 'foldgate'

const PROJECT = '11111111-1111-4111-8111-111111111111'
const { signal } = new AbortController()
/** What is published; nothing reads its tables. */
const contents = { formatVersion: 3, projectId: PROJECT, sealedAt: '2026-01-01T00:00:00Z', tables: [] }

let folder: string
const snapshotId = (number: number) => `${String(number).padStart(6, '0')}-${PROJECT}`

/** Gives each test of a suite a folder, which is removed after it. */
function inFolders(): void {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
  })
  afterEach(() => rm(folder, { recursive: true }))
}

describe('two servers that seal at once', () => {
  inFolders()
  it('lose no snapshot, and agree on which is the newest', async () => {
    const servers = [directorySnapshots(folder), directorySnapshots(folder)]
    const published: string[] = []
    const seals = Array.from({ length: 12 }, async (_, at) => {
      const server = servers[at % 2] as DirectorySnapshots
      const { snapshotId } = await server.publish(await server.draft(), contents)
      published.push(snapshotId)
      return snapshotId
    })
    const sealed = await Promise.all(seals)
    assert.deepEqual(published, sealed.sort(), 'the snapshot published last is the newest')
    const [one, two] = await Promise.all(servers.map(server => server.list(PROJECT, signal)))
    assert.deepEqual(one, sealed.sort().reverse())
    assert.deepEqual(two, one)
    const last = await servers[0]?.publish(await (servers[0] as DirectorySnapshots).draft(), contents)
    assert.equal((await servers[1]?.list(PROJECT, signal))?.[0], last?.snapshotId)
  })
})

describe('a draft that is made from another snapshot', () => {
  inFolders()
  const publishAfter = async (snapshots: DirectorySnapshots, after: string | null) =>
    (await snapshots.publish(await snapshots.draft(), contents, undefined, { after })).snapshotId

  it('is published while that is the newest, and refused when the project has been sealed meanwhile', async () => {
    const [one, two] = [directorySnapshots(folder), directorySnapshots(folder)]
    const first = await publishAfter(one, null)
    const second = await publishAfter(two, first)
    for (const after of [first, null]) await assert.rejects(publishAfter(one, after), { name: 'OutdatedBase' })
    assert.deepEqual(await one.list(PROJECT, signal), [second, first])
    await one.remove(PROJECT)
    await assert.rejects(publishAfter(one, second), { name: 'OutdatedBase' })
    assert.deepEqual(await one.list(PROJECT, signal), [])
  })

  it('is published once, by whichever of many servers is first', async () => {
    const servers = Array.from({ length: 6 }, () => directorySnapshots(folder))
    const base = await publishAfter(servers[0] as DirectorySnapshots, null)
    const ended = await Promise.allSettled(servers.map(server => publishAfter(server, base)))
    const refused = ended.flatMap(end => (end.status === 'rejected' ? [(end.reason as Error).name] : []))
    assert.deepEqual(refused, Array(5).fill('OutdatedBase'))
    assert.equal((await servers[0]?.list(PROJECT, signal))?.length, 2)
  })
})

describe('a copy of a snapshot', () => {
  inFolders()
  it('keeps its id and its place, and replaces none', async () => {
    const snapshots = directorySnapshots(folder)
    const publish = async (id?: string) =>
      (
        await snapshots.publish(await snapshots.draft(), {
          ...contents,
          ...(id === undefined ? {} : { snapshotId: id }),
        })
      ).snapshotId
    for (const number of [3, 1]) assert.equal(await publish(snapshotId(number)), snapshotId(number))
    const next = await publish()
    assert.match(next, /^000004-/)
    assert.deepEqual(await snapshots.list(PROJECT, signal), [next, snapshotId(3), snapshotId(1)])
    await assert.rejects(publish(snapshotId(3)), { code: 'ENOTEMPTY' })
    for (const id of ['', '3', `../${snapshotId(2)}`, `${snapshotId(2)}/x`])
      await assert.rejects(publish(id), TypeError)
  })
})
