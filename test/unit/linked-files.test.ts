import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import promises, { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DirectorySnapshots, directorySnapshots } from 'foldgate'

const PROJECT = '11111111-1111-4111-8111-111111111111'
const OTHER = '22222222-2222-4222-8222-222222222222'
const MIB = 1024 ** 2

/** Contents of the Parquet files of a snapshot, by name. */
type Contents = Readonly<Record<string, string>>

describe('the files that snapshots of a project share', () => {
  let folder: string
  let snapshots: DirectorySnapshots

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-linked-'))
    snapshots = directorySnapshots(folder)
  })
  afterEach(() => rm(folder, { recursive: true }))

  /** Publishes a snapshot with one table per file; returns its id. */
  async function publish(
    contents: Contents,
    projectId = PROJECT,
    given: { snapshotId?: string } = {},
    ms?: AbortSignal,
  ) {
    const draft = await snapshots.draft()
    const tables = Object.entries(contents).map(([file, text]) => {
      const sha256 = createHash('sha256').update(text).digest('hex')
      return { name: file.slice(0, 1), rows: 1, columns: [], file, sha256 }
    })
    for (const [file, text] of Object.entries(contents)) await writeFile(join(draft, file), text)
    const sealedAt = '2026-01-01T00:00:00Z'
    return (await snapshots.publish(draft, { formatVersion: 3, projectId, sealedAt, tables, ...given }, ms)).snapshotId
  }
  const pathOf = (snapshotId: string, file: string, projectId = PROJECT) => join(folder, projectId, snapshotId, file)
  const inode = async (...at: Parameters<typeof pathOf>) => (await stat(pathOf(...at), { bigint: true })).ino
  /** The snapshot has these files and no others, as they were sealed. */
  async function isWhole(snapshotId: string, contents: Contents): Promise<void> {
    assert.deepEqual(await snapshots.verify(PROJECT, snapshotId), [])
    const names = await readdir(pathOf(snapshotId, ''))
    assert.deepEqual(names.sort(), [...Object.keys(contents), 'manifest.json'].sort())
    for (const [file, text] of Object.entries(contents))
      assert.equal(await readFile(pathOf(snapshotId, file), 'utf8'), text)
  }

  it('are stored once, under whatever names, and stay when the older snapshot is removed', async () => {
    const large = 'x'.repeat(2 * MIB + 1)
    const first = await publish({ 'a.parquet': 'same', 'b.parquet': 'old', 'c-0001.parquet': large })
    const refreshed = { 'a-0001.parquet': 'same', 'b.parquet': 'new', 'c.parquet': large }
    const second = await publish(refreshed)
    assert.equal(await inode(second, 'a-0001.parquet'), await inode(first, 'a.parquet'))
    assert.equal(await inode(second, 'c.parquet'), await inode(first, 'c-0001.parquet'))
    assert.notEqual(await inode(second, 'b.parquet'), await inode(first, 'b.parquet'))
    await isWhole(second, refreshed)
    assert.deepEqual(await snapshots.prune(PROJECT, 1), [first])
    await isWhole(second, refreshed)
    const third = await publish(refreshed)
    assert.equal(await inode(third, 'c.parquet'), await inode(second, 'c.parquet'))
    await isWhole(third, refreshed)
  })

  it('are those of the newest snapshot that can be read, of this project alone', async () => {
    const contents = { 'a.parquet': 'same' }
    const first = await publish(contents)
    const other = await publish(contents, OTHER)
    assert.notEqual(await inode(other, 'a.parquet', OTHER), await inode(first, 'a.parquet'))
    const [damaged, later] = [await publish({ 'a.parquet': 'b' }), await publish({ 'a.parquet': 'c' })]
    await writeFile(pathOf(damaged, 'manifest.json'), '{')
    await writeFile(pathOf(later, 'manifest.json'), JSON.stringify({ formatVersion: 99 }))
    assert.equal(await inode(await publish(contents), 'a.parquet'), await inode(first, 'a.parquet'))
  })

  it('are found by a copy of a snapshot, which keeps its id', async () => {
    const contents = { 'a.parquet': 'same' }
    const ids = [3, 1, 2].map(number => `00000${number}-${PROJECT}`)
    for (const snapshotId of ids) assert.equal(await publish(contents, PROJECT, { snapshotId }), snapshotId)
    const inodes = new Set(await Promise.all(ids.map(id => inode(id, 'a.parquet'))))
    assert.equal(inodes.size, 1)
  })

  it('are sound: one that is damaged is stored anew, and shared from then on', async () => {
    const contents = { 'a.parquet': 'good', 'b.parquet': 'b', 'c.parquet': 'c', 'd.parquet': '' }
    const first = await publish(contents)
    await writeFile(pathOf(first, 'a.parquet'), 'evil')
    await rm(pathOf(first, 'b.parquet'))
    await rm(pathOf(first, 'c.parquet'))
    await writeFile(pathOf(first, 'd.parquet'), 'more')
    await symlink(pathOf(first, 'a.parquet'), pathOf(first, 'c.parquet'))
    const healed = await publish(contents)
    await isWhole(healed, contents)
    const next = await publish(contents)
    await isWhole(next, contents)
    for (const file of Object.keys(contents)) {
      if (file !== 'b.parquet') assert.notEqual(await inode(healed, file), await inode(first, file), file)
      assert.equal(await inode(next, file), await inode(healed, file), file)
    }
  })

  it('are in a snapshot once each when the draft has them as links already', async () => {
    const contents = { 'a.parquet': 'same' }
    const first = await publish(contents)
    const draft = await snapshots.draft()
    await promises.link(pathOf(first, 'a.parquet'), join(draft, 'a.parquet'))
    const [manifest] = await snapshots.manifests(PROJECT)
    assert.ok(manifest)
    const { snapshotId: _, ...rest } = manifest
    const { snapshotId } = await snapshots.publish(draft, rest)
    await isWhole(snapshotId, contents)
    assert.equal(await inode(snapshotId, 'a.parquet'), await inode(first, 'a.parquet'))
  })

  it('are replaced by nothing when the signal is aborted, and nothing is published', async () => {
    const contents = { 'a.parquet': 'x'.repeat(MIB) }
    const first = await publish(contents)
    const reason = new Error('stop')
    await assert.rejects(publish(contents, PROJECT, {}, AbortSignal.abort(reason)), reason)
    assert.deepEqual(await snapshots.list(PROJECT, new AbortController().signal), [first])
    const [draft = ''] = await readdir(join(folder, '.drafts'))
    assert.deepEqual(await readdir(join(folder, '.drafts', draft)), ['a.parquet'])
  })

  describe('where files cannot be linked', () => {
    const { link, rename } = promises
    afterEach(() => {
      Object.assign(promises, { link, rename })
      syncBuiltinESMExports()
    })
    const failing = (call: 'link' | 'rename', code: string, isConcerned = (_: string) => true) => {
      const own = promises[call]
      const asked: string[] = []
      const fail = async (from: string, to: string) => {
        if (!isConcerned(from)) return own(from, to)
        asked.push(from)
        throw Object.assign(new Error(code), { code })
      }
      Object.assign(promises, { [call]: fail })
      syncBuiltinESMExports()
      return asked
    }

    for (const code of ['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOENT'])
      it(`because of ${code}, each snapshot has its own`, async () => {
        const contents = { 'a.parquet': 'same' }
        const first = await publish(contents)
        const asked = failing('link', code)
        const second = await publish(contents)
        assert.deepEqual(asked, [pathOf(first, 'a.parquet')])
        await isWhole(second, contents)
        assert.notEqual(await inode(second, 'a.parquet'), await inode(first, 'a.parquet'))
      })

    it('under the name of the file, nothing is left of the link', async () => {
      const contents = { 'a.parquet': 'same' }
      const first = await publish(contents)
      const asked = failing('rename', 'EACCES', path => path.endsWith('~a.parquet'))
      const second = await publish(contents)
      assert.equal(asked.length, 1)
      await isWhole(second, contents)
      assert.notEqual(await inode(second, 'a.parquet'), await inode(first, 'a.parquet'))
    })
  })

  it('are sound in a snapshot that is published while the older ones are pruned', async () => {
    const servers = [directorySnapshots(folder), directorySnapshots(folder)]
    const contents = { 'a.parquet': 'a'.repeat(MIB), 'b.parquet': 'b', 'c.parquet': 'c' }
    for (let round = 0; round < 20; round++) {
      const seal = publish({ ...contents, 'd.parquet': `${round}` })
      const pruning = servers.map(server => server.prune(PROJECT, 1))
      await isWhole(await seal, { ...contents, 'd.parquet': `${round}` })
      await Promise.all(pruning)
    }
  })
})
