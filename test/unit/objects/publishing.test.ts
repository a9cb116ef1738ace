import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, truncate, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DirectorySnapshots, directorySnapshots } from 'foldgate'
import { filesOf, PROJECT, publish, signal } from './world.js'

const OTHER = '22222222-2222-4222-8222-222222222222'
const HOUR_MS = 3_600_000
const idOf = (number: number) => `${String(number).padStart(6, '0')}-${PROJECT}`

describe('snapshots in a folder', () => {
  let folder: string
  let root: string
  let snapshots: DirectorySnapshots

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-publishing-'))
    root = join(folder, 'snapshots')
    snapshots = directorySnapshots(root)
  })
  afterEach(() => rm(folder, { recursive: true }))

  const seal = (texts: readonly string[], given?: Parameters<typeof publish>[3], by = snapshots) =>
    publish(by, folder, texts, given)
  const idsOf = () => snapshots.list(PROJECT, signal)
  const manifestPath = (number: number) => join(root, 'snapshots', PROJECT, `00000${number}.json`)
  const tables = () => readdir(join(root, 'tables', PROJECT))
  /** Makes everything in the folder older. */
  async function pass(ms: number): Promise<void> {
    for (const entry of await readdir(root, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) {
        const then = new Date(Date.now() - ms)
        await utimes(join(entry.parentPath, entry.name), then, then)
      }
  }

  it('are published by two servers at once, which agree on the newest', async () => {
    const servers = [directorySnapshots(root), directorySnapshots(root)]
    const sealed = await Promise.all(Array.from({ length: 12 }, (_, at) => seal([`${at}`], {}, servers[at % 2])))
    const ids = sealed.map(({ snapshotId }) => snapshotId).sort()
    assert.deepEqual(
      ids.map(id => Number(id.slice(0, 6))),
      Array.from({ length: 12 }, (_, at) => at + 1),
    )
    for (const server of servers) assert.deepEqual(await server.list(PROJECT, signal), ids.toReversed())
    assert.match((await seal(['last'])).snapshotId, /^000013-/)
  })

  it('are published after the newest one, once, and refused after any other', async () => {
    const first = await seal(['a'], { after: null })
    const second = await seal(['b'], { after: first.snapshotId })
    for (const after of [first.snapshotId, null]) await assert.rejects(seal(['c'], { after }), { name: 'OutdatedBase' })
    const ended = await Promise.allSettled(
      Array.from({ length: 6 }, () => seal(['d'], { after: second.snapshotId }, directorySnapshots(root))),
    )
    const refused = ended.flatMap(end => (end.status === 'rejected' ? [(end.reason as Error).name] : []))
    assert.deepEqual(refused, Array(5).fill('OutdatedBase'))
    assert.equal((await idsOf()).length, 3)
    await snapshots.remove(PROJECT)
    await assert.rejects(seal(['e'], { after: second.snapshotId }), { name: 'OutdatedBase' })
    assert.deepEqual(await idsOf(), [])
    assert.match((await seal(['f'], { after: null })).snapshotId, /^000004-/)
    assert.equal((await tables()).length, 4, 'what was refused has left no file')
  })

  it('have a file once that the newest one has, too', async () => {
    const first = await seal(['same', 'old'])
    const second = await seal(['new', 'same'])
    assert.equal(filesOf(second)[1], filesOf(first)[0])
    assert.equal((await tables()).length, 3)
    await snapshots.prune(PROJECT, 1)
    await pass(25 * HOUR_MS)
    await snapshots.sweep()
    assert.deepEqual(await snapshots.verify(PROJECT, second.snapshotId), [])
    assert.deepEqual(await tables(), filesOf(second).sort())
  })

  it('have as many files as they name, although some have the same content', async () => {
    const twice = await seal(['same', 'same'])
    assert.equal(new Set(filesOf(twice)).size, 2)
    const thrice = await seal(['same', 'same', 'same'])
    assert.equal(new Set(filesOf(thrice)).size, 3)
    assert.equal((await tables()).length, 3)
    assert.deepEqual(filesOf(await seal(['same', 'other'])).slice(0, 1), filesOf(thrice).slice(0, 1))
    for (const { snapshotId } of [twice, thrice]) assert.deepEqual(await snapshots.verify(PROJECT, snapshotId), [])
  })

  it('have a file of their own where the one of the newest is damaged, missing or no file', async () => {
    const texts = ['good', 'gone', 'link', 'short']
    const [good = '', gone = '', link = '', short = ''] = filesOf(await seal(texts))
    const at = (file: string) => join(root, 'tables', PROJECT, file)
    await writeFile(at(good), 'evil')
    await rm(at(gone))
    await rm(at(link))
    await symlink(at(good), at(link))
    await writeFile(at(short), 'shorter')
    const healed = await seal(texts)
    assert.deepEqual(await snapshots.verify(PROJECT, healed.snapshotId), [])
    for (const [index, file] of [good, gone, link, short].entries()) assert.notEqual(filesOf(healed)[index], file)
    assert.deepEqual(filesOf(await seal(texts)), filesOf(healed), 'and is shared from then on')
  })

  it('share files with the newest that can be read', async () => {
    const first = await seal(['same'])
    await seal(['b'])
    await seal(['c'])
    await writeFile(manifestPath(2), '{')
    await writeFile(manifestPath(3), JSON.stringify({ formatVersion: 99, snapshotId: idOf(3) }))
    assert.deepEqual(filesOf(await seal(['same'])), filesOf(first))
  })

  it('are listed although their manifest cannot be read, and never taken for an older one', async () => {
    const first = await seal(['a'])
    await seal(['b'])
    await writeFile(manifestPath(2), '{')
    const again = directorySnapshots(root)
    const [damaged = '', older] = await again.list(PROJECT, signal)
    assert.equal(older, first.snapshotId)
    assert.equal(await again.manifestOf(PROJECT, damaged, signal), '{', 'which its reader tells')
    await assert.rejects(again.manifests(PROJECT), /not a JSON object/)
    assert.deepEqual(await again.verify(PROJECT, damaged), ['manifest.json is not a JSON object'])
    await rm(manifestPath(2))
    await symlink(manifestPath(1), manifestPath(2))
    assert.match((await directorySnapshots(root).list(PROJECT, signal))[0] ?? '', /^000002-/)
    assert.match((await again.verify(PROJECT, damaged)).join(), /symbolic link/)
  })

  it('are not read into memory when their manifest is endless', async () => {
    const { snapshotId } = await seal(['a'])
    await truncate(manifestPath(1), 4 * 1024 ** 4) // takes no room on the disk
    const again = directorySnapshots(root)
    const [listed] = await again.list(PROJECT, signal)
    assert.notEqual(listed, snapshotId)
    assert.deepEqual(await again.verify(PROJECT, snapshotId), [
      'manifest.json is larger than 64 MiB: it is not what it should be',
    ])
  })

  it('are verified no longer than the signal allows', async () => {
    const { snapshotId } = await seal(['a'])
    await assert.rejects(snapshots.verify(PROJECT, snapshotId, AbortSignal.abort(new Error('enough'))), /enough/)
  })

  it('are of their project, wherever their manifest is', async () => {
    const { snapshotId } = await seal(['a'])
    await mkdir(join(root, 'snapshots', OTHER))
    await writeFile(join(root, 'snapshots', OTHER, '000001.json'), await readFile(manifestPath(1)))
    await assert.rejects(snapshots.manifestOf(OTHER, snapshotId, signal), /of another project/)
    await assert.rejects(snapshots.open(OTHER, snapshotId, [], signal), /of another project/)
    assert.match((await snapshots.verify(OTHER, snapshotId)).join(), /of another project/)
  })

  it('are copies that keep their ids and places, and replace none', async () => {
    for (const number of [3, 1])
      assert.equal((await seal(['a'], { snapshotId: idOf(number) })).snapshotId, idOf(number))
    const next = await seal(['b'])
    assert.match(next.snapshotId, /^000004-/)
    assert.deepEqual(await idsOf(), [next.snapshotId, idOf(3), idOf(1)])
    await assert.rejects(seal(['c'], { snapshotId: idOf(3) }), /already has the snapshot 000003-/)
    const other = `000003-${OTHER}`
    await assert.rejects(seal(['c'], { snapshotId: other }), /already has another snapshot of this number, 000003-1111/)
    for (const snapshotId of ['', '3', `../${idOf(2)}`, `${idOf(2)}/x`])
      await assert.rejects(seal(['d'], { snapshotId }), TypeError)
  })

  it('have six digits in their ids, and none comes after the last', async () => {
    await seal(['a'], { snapshotId: idOf(999_998) })
    const last = await seal(['b'])
    assert.match(last.snapshotId, /^999999-/)
    await assert.rejects(seal(['c']), /has the snapshot 999999, which is the last number: seal into a new project/)
    assert.deepEqual(await idsOf(), [last.snapshotId, idOf(999_998)])
    assert.equal((await tables()).length, 2, 'nothing is left of it')
    await snapshots.prune(PROJECT, 1)
    assert.deepEqual(await snapshots.verify(PROJECT, last.snapshotId), [])
  })

  it('are back when a copy is published of one that was removed, for half a day, and after a day', async () => {
    const { snapshotId } = await seal(['a'])
    await seal(['b'])
    await snapshots.remove(PROJECT)
    assert.equal((await seal(['a'], { snapshotId })).snapshotId, snapshotId)
    assert.deepEqual(await idsOf(), [snapshotId])
    assert.deepEqual(await snapshots.verify(PROJECT, snapshotId), [])
    await snapshots.remove(PROJECT)
    await assert.rejects(seal(['other'], { snapshotId }), /was removed/, 'with other tables, it is another one')
    await pass(13 * HOUR_MS)
    await assert.rejects(seal(['a'], { snapshotId }), /was removed: copy it again a day after that/)
    await pass(25 * HOUR_MS)
    assert.equal((await seal(['a'], { snapshotId })).snapshotId, snapshotId, 'without a sweep')
    assert.deepEqual(await snapshots.verify(PROJECT, snapshotId), [])
    await snapshots.remove(PROJECT)
    await pass(25 * HOUR_MS)
    await snapshots.sweep()
    assert.deepEqual(await readdir(root, { recursive: true }), ['clock', 'snapshots', 'tables'])
    assert.equal((await seal(['a'], { snapshotId })).snapshotId, snapshotId)
  })

  it('are listed with the id of the one that is there, when a manifest was lost and its number is given again', async () => {
    const lost = await seal(['a'])
    assert.deepEqual(await idsOf(), [lost.snapshotId])
    await rm(manifestPath(1))
    const again = await seal(['b'])
    assert.match(again.snapshotId, /^000001-/)
    assert.deepEqual(await idsOf(), [again.snapshotId])
  })

  it('keep their files for a day once they are removed, and then nothing is left', async () => {
    const first = await seal(['a', 'same'])
    await seal(['b', 'same'])
    assert.deepEqual(await snapshots.prune(PROJECT, 1), [first.snapshotId])
    assert.deepEqual(await snapshots.prune(PROJECT, 1), [])
    await snapshots.sweep()
    assert.deepEqual(await snapshots.verify(PROJECT, first.snapshotId), [])
    assert.ok(await snapshots.open(PROJECT, first.snapshotId, filesOf(first), signal))
    await pass(23 * HOUR_MS)
    await snapshots.sweep()
    assert.deepEqual(await snapshots.verify(PROJECT, first.snapshotId), [])
    await pass(25 * HOUR_MS)
    await snapshots.prune(PROJECT, 1)
    assert.equal(await directorySnapshots(root).manifestOf(PROJECT, first.snapshotId, signal), null)
    assert.equal((await tables()).length, 2)
  })

  it('lose nothing to a sweep that cannot read the manifest of one', async () => {
    await seal(['a'])
    await seal(['b'])
    await writeFile(manifestPath(1), '{')
    await pass(25 * HOUR_MS)
    await snapshots.sweep()
    assert.equal((await tables()).length, 2)
  })

  it('are swept and published beside one whose manifest is no file', async () => {
    const [first] = [await seal(['a', 'b']), await seal(['c'])]
    await rm(manifestPath(2))
    await symlink(manifestPath(1), manifestPath(2))
    await snapshots.sweep()
    assert.deepEqual(filesOf(await seal(['a', 'd'])).slice(0, 1), filesOf(first).slice(0, 1))
  })

  it('leave what others have put into the folder', async () => {
    await seal(['a'])
    const foreign = ['tables/notes.txt', `tables/${PROJECT}/notes.parquet`, `snapshots/${PROJECT}/README.md`, 'x/y']
    for (const path of foreign) {
      await mkdir(join(root, path, '..'), { recursive: true })
      await writeFile(join(root, path), 'mine')
    }
    await pass(48 * HOUR_MS)
    await snapshots.sweep()
    for (const path of foreign) assert.equal(await readFile(join(root, path), 'utf8'), 'mine')
    assert.equal((await idsOf()).length, 1)
  })

  it('are not published once the signal is aborted, and nothing is left', async () => {
    const first = await seal(['a'])
    const draft = join(folder, 'draft')
    await mkdir(draft)
    const reason = new Error('stop')
    const { snapshotId: _, ...contents } = first
    await assert.rejects(snapshots.publish(draft, contents, AbortSignal.abort(reason)), reason)
    assert.deepEqual(await idsOf(), [first.snapshotId])
    assert.equal((await tables()).length, 1)
  })

  it('are listed at once by the process that changes them, and a moment later by others', async () => {
    const other = directorySnapshots(root)
    for (let round = 0; round < 5; round++) {
      const before = await other.list(PROJECT, signal)
      const { snapshotId } = await seal([`${round}`])
      assert.equal((await idsOf())[0], snapshotId)
      for (let ids = before; ids[0] !== snapshotId; ids = await other.list(PROJECT, signal))
        assert.deepEqual(ids, before)
    }
    await other.prune(PROJECT, 1)
    assert.equal((await other.list(PROJECT, signal)).length, 1)
    await other.remove(PROJECT)
    assert.deepEqual(await other.list(PROJECT, signal), [])
  })

  it('are listed of many projects at once', async () => {
    const { snapshotId } = await seal(['a'])
    const found = await snapshots.listBetween('', null, signal)
    assert.deepEqual([...found], [[PROJECT, [snapshotId]]])
    assert.equal((await snapshots.listBetween(PROJECT, null, signal)).size, 0)
    assert.equal((await snapshots.listBetween('', '0', signal)).size, 0)
  })

  it('are refused a project or a number to keep that is none', async () => {
    for (const id of ['', '..', 'a/b', PROJECT.replace('1', 'A')]) {
      await assert.rejects(async () => snapshots.list(id, signal), TypeError)
      await assert.rejects(async () => snapshots.verify(id, idOf(1)), TypeError)
    }
    for (const keep of [0, -1, 1.5, Number.NaN]) await assert.rejects(snapshots.prune(PROJECT, keep), TypeError)
    for (const id of ['', '..', '1', `${idOf(1)}\n`]) {
      assert.equal(await snapshots.manifestOf(PROJECT, id, signal), null)
      assert.equal(await snapshots.open(PROJECT, id, [], signal), null)
    }
  })
})
