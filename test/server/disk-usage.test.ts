import assert from 'node:assert/strict'
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DiskWatch, LongestWaiting, slowly, watchDisk } from '#server/snapshots/disk-usage.js'
import { until } from '../until.js'
import { scratchFolder } from './command.js'

const scratch = scratchFolder()
const NEWEST = 1_700_000_000_000
/** Between two measurements of a suite. */
const EVERY_MS = 5

describe('what the shared folders take on disk', () => {
  let folder: { snapshots: string; exports: string }
  let disk: DiskWatch | undefined

  beforeEach(async () => {
    folder = { snapshots: join(scratch.path, 'snapshots'), exports: join(scratch.path, 'exports') }
    for (const path of Object.values(folder)) await mkdir(path)
  })
  afterEach(async () => {
    await disk?.stop()
    for (const path of Object.values(folder)) await rm(path, { recursive: true, force: true })
  })

  async function write(path: string, bytes: number, at = NEWEST - 1000): Promise<void> {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, Buffer.alloc(bytes))
    await utimes(path, at / 1000, at / 1000)
  }
  const latest = () => until(() => disk?.latest() ?? undefined, 'a measurement')

  it('is the sum of all files, with the time of the newest manifest of each project that has a published snapshot', async () => {
    await write(join(folder.exports, 'a'), 1000)
    await write(join(folder.exports, 'b~1'), 200)
    await write(join(folder.snapshots, 'snapshots/p/000001.json'), 10)
    await write(join(folder.snapshots, 'snapshots/p/000002.json'), 10, NEWEST)
    await write(join(folder.snapshots, 'snapshots/q/000001.json'), 10)
    await write(join(folder.snapshots, 'tables/q/sites.parquet'), 5000, NEWEST + 5000)
    await write(join(folder.snapshots, 'snapshots/q/000002.gone'), 10, NEWEST + 5000)
    disk = watchDisk(folder)
    assert.equal(disk.latest(), null)
    const newestSnapshots = new Map([
      ['p', NEWEST],
      ['q', NEWEST - 1000],
    ])
    assert.deepEqual(await latest(), { exportBytes: 1200, snapshotBytes: 5040, newestSnapshots })
  })

  it('follows changes, and is not known while a folder cannot be read', async () => {
    disk = watchDisk(folder, EVERY_MS)
    assert.deepEqual(await latest(), { exportBytes: 0, snapshotBytes: 0, newestSnapshots: new Map() })
    await write(join(folder.exports, 'a'), 1000)
    await until(() => disk?.latest()?.exportBytes === 1000, 'the file')
    await rm(folder.exports, { recursive: true })
    await until(() => disk?.latest() === null, 'a measurement that failed')
  })

  it('is abandoned when the server stops', async () => {
    for (let file = 0; file < 300; file++) await write(join(folder.exports, `${file % 20}/${file}`), 1)
    disk = watchDisk(folder)
    await disk.stop()
    assert.equal(disk.latest(), null)
  })

  it('tells the times of the 1,000 projects that have waited longest for a snapshot', () => {
    const waiting = new LongestWaiting()
    for (let project = 0; project < 10_000; project++)
      for (const at of [project, (project * 7919) % 10_000]) waiting.see(`${project}`, at)
    const newest = Array.from({ length: 10_000 }, (_, project) => Math.max(project, (project * 7919) % 10_000))
    const oldest = newest.toSorted((one, other) => one - other)
    assert.deepEqual(
      [...waiting.newest.values()].sort((one, other) => one - other),
      oldest.slice(0, 1000),
    )
    for (const [project, at] of waiting.newest) assert.equal(newest[Number(project)], at)
  })

  it('lists the first pages of a bucket at once, and then one at a time', async () => {
    const { signal } = new AbortController()
    async function* pages() {
      for (let page = 1; page <= 6; page++) yield page
    }
    const at: number[] = []
    for await (const _ of slowly(pages(), { atOnce: 3, pauseMs: 40, signal })) at.push(performance.now())
    const gaps = at.slice(1).map((each, place) => each - (at[place] ?? 0))
    assert.equal(at.length, 6)
    assert.ok(
      gaps.slice(2).every(ms => ms > 35),
      `${gaps}`,
    )
  })
})
