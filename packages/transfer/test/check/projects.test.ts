import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { type SnapshotManifest, snapshotFiles, tableFiles } from 'foldgate/sealing'
import { signingSecrets } from '../../../../server/dist/store/ports.js'
import { Installation, type ListedProject } from '../../../../test/check/server/installation.js'
import { scratchFolder } from '../../../../test/server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../../../test/server/package.js'
import { call, type Served } from '../../../../test/server/server.js'
import { splitTable } from '../../../../test/server/split.js'
import { postgresUrl } from '../../../../test/server/stores.js'
import { filesOfTable, manifestPath, tablesOf } from '../../../../test/stored.js'

const ID = PROJECT_IDS.early
const { signal } = new AbortController()
const SQL = 'SELECT name, entity_key FROM entities ORDER BY entity_key'
const scratch = scratchFolder()

/** The paths of the files below a folder, with their contents. */
async function contentsOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const contents = files.map(async file => [file.slice(folder.length + 1), await readFile(file, 'latin1')] as const)
  return new Map((await Promise.all(contents)).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The manifests of the snapshots in a folder, which are as sealed, without the names that their files have there. */
async function snapshotsIn(folder: string): Promise<SnapshotManifest[]> {
  const snapshots = directorySnapshots(folder)
  const manifests = await snapshots.manifests(ID)
  for (const { snapshotId } of manifests) assert.deepEqual(await snapshots.verify(ID, snapshotId), [])
  // A name ends in eight digits of its own.
  const bare = JSON.stringify(manifests).replace(/-[0-9a-f]{8}\.(parquet|ids)"/g, '.$1"')
  return JSON.parse(bare) as SnapshotManifest[]
}

for (const kind of ['embedded', 'PostgreSQL']) {
  describe(`a project carried over between installations (${kind})`, () => {
    let opened = 0
    let from: Installation
    let key: string
    let exported: string
    let listed: ListedProject
    let server: Served | undefined

    const at = (name: string) => join(scratch.path, `${kind}-${name}`)
    const fresh = () => Installation.in(at(`${++opened}`), kind === 'embedded')

    before(async function () {
      if (kind === 'PostgreSQL' && !postgresUrl) return this.skip()
      from = await fresh()
      await writePackage(at('package'))
      await writeTables(at('tables'))
      await from.run('import', at('package'))
      const grants = ['--organization', 'north', '--organization', 'south']
      await from.run('user', 'add', 'ada@example.org', ...grants)
      key = await from.run('key', 'create', '--user', 'ada@example.org', ...grants)
      const assessment = await from.run('assessment', 'start', ID)
      for (let time = 0; time < 2; time++) {
        await from.run('snapshot', 'seal', assessment, at('tables'))
        const sites = await readFile(at('tables/sites.csv'), 'utf8')
        await writeFile(at('tables/sites.csv'), sites.replace(/^[^,]+,plant,/m, `${randomUUID()},plant,`))
      }
      const [newest = ''] = await directorySnapshots(from.snapshots).list(ID, signal)
      await splitTable(from.snapshots, ID, newest, 'entities')
      exported = at('exported')
      assert.equal(await from.run('project', 'export', ID, exported), exported)
      listed = await from.listed(ID)
      assert.deepEqual([listed.snapshots.length, listed.assessments.length], [3, 2])
    })

    after(() => server?.child.kill('SIGKILL'))

    it('has each file once that its snapshots share: here, in the export, and after the import', async () => {
      const manifests = await directorySnapshots(from.snapshots).manifests(ID)
      const names = manifests.flatMap(snapshotFiles).map(({ file }) => file)
      const files = new Set(names).size
      assert.ok(files < names.length)
      const copies = (await readdir(exported, { recursive: true })).filter(path => names.includes(basename(path)))
      const inodes = copies.map(async path => (await stat(join(exported, path), { bigint: true })).ino)
      assert.deepEqual([copies.length, new Set(await Promise.all(inodes)).size], [names.length, files])
      const to = await fresh()
      await to.run('project', 'import', exported)
      assert.equal((await readdir(tablesOf(to.snapshots, ID))).length, files)
    })

    it('is exported with its snapshots as they are, and with nothing else', async () => {
      const contents = await contentsOf(exported)
      const register = contents.get('project.json') ?? ''
      const expected = new Map([['project.json', register]])
      for (const manifest of await directorySnapshots(from.snapshots).manifests(ID)) {
        const place = join('snapshots', ID, manifest.snapshotId)
        const text = await readFile(manifestPath(from.snapshots, ID, manifest.snapshotId), 'latin1')
        expected.set(join(place, 'manifest.json'), text)
        for (const { file } of snapshotFiles(manifest))
          expected.set(join(place, file), await readFile(join(tablesOf(from.snapshots, ID), file), 'latin1'))
      }
      assert.deepEqual(new Map([...contents].sort()), new Map([...expected].sort()))
      assert.deepEqual(Object.keys(JSON.parse(register)).sort(), [
        'assessments',
        'formatVersion',
        'organization',
        'project',
        'snapshots',
      ])
      const store = await from.openStore()
      const secrets = await signingSecrets(store)
      await store.close()
      const others = Object.values(PROJECT_IDS).filter(id => id !== ID)
      const foreign = ['The late one', 'North', 'north', 'ada@example.org', key, ...others, ...secrets]
      const hashed = createHash('sha256').update(key).digest('hex')
      for (const [file, content] of contents)
        for (const secret of [...foreign, hashed]) assert.equal(content.includes(secret), false, `${secret} in ${file}`)
    })

    it('is not exported over anything, nor when it is unknown or damaged', async () => {
      assert.match(await from.refusal('project', 'export', ID, exported), /already exists: name a new folder/)
      const unknown = ID.replace('0a', '0f')
      assert.match(await from.refusal('project', 'export', unknown, at('x')), /no project 0f/)
      assert.match(await from.refusal('project', 'export', ID, join(at('x'), 'y')), /nothing was: ENOENT/)
      const copy = await fresh()
      await copy.run('project', 'import', exported)
      const [newest = ''] = await directorySnapshots(copy.snapshots).list(ID, signal)
      const [sites = ''] = await filesOfTable(copy.snapshots, ID, newest, 'sites')
      await writeFile(sites, 'x')
      const damaged = await copy.refusal('project', 'export', ID, at('x'))
      assert.match(
        damaged,
        /nothing was: the file sites-\S+\.parquet of the snapshot 00000[123]-.* is not as it was sealed/,
      )
      assert.deepEqual(
        (await readdir(scratch.path)).filter(name => /-x|draft/.test(name)),
        [],
      )
    })

    it('has the same ids, dates, states and files after the import, and answers', async () => {
      const to = await fresh()
      assert.equal(await to.run('project', 'import', exported), ID)
      assert.deepEqual(await to.listed(ID), listed)
      assert.deepEqual(await snapshotsIn(to.snapshots), await snapshotsIn(from.snapshots))
      await to.run('user', 'add', 'bob@example.org', '--organization', 'south')
      const bobs = await to.run('key', 'create', '--user', 'bob@example.org', '--organization', 'south')
      server = await to.serve()
      const { items, status } = await call(server.url, bobs, 'query', { projectId: ID, sql: SQL })
      assert.equal(status, 200)
      assert.deepEqual(
        items.map(item => item.entity_key),
        ['group', 'plant'],
      )
      server.child.kill('SIGKILL')
    })

    it('may have no snapshot, and an assessment that is running', async () => {
      const to = await fresh()
      for (const id of [PROJECT_IDS.idle, PROJECT_IDS.running]) {
        await from.run('project', 'export', id, at(id))
        await to.run('project', 'import', at(id))
        assert.deepEqual(await to.listed(id), await from.listed(id))
      }
      assert.equal((await to.list('organization', 'list')).length, 1)
      const [{ id: running = '' } = {}] = (await from.listed(PROJECT_IDS.running)).assessments as { id?: string }[]
      await to.run('assessment', 'complete', running, '--without-snapshot')
    })

    it('is refused if it is there already, or belongs to another organization', async () => {
      assert.match(await from.refusal('project', 'import', exported), /already exists: an import does not change/)
      const other = await fresh()
      await other.run('organization', 'add', 'west', '--name', 'West')
      await other.run('project', 'add', '--organization', 'west', '--name', 'Same id', '--id', ID)
      const refusal = await other.refusal('project', 'import', exported)
      assert.match(refusal, /belongs to the organization "west" here, but to "south" in the export/)
      assert.deepEqual(await readdir(other.snapshots), ['.store'])
    })

    it('is refused before anything is written if a file is missing or has changed', async () => {
      const to = await fresh()
      const [oldest = ''] = (await readdir(join(exported, 'snapshots', ID))).sort()
      const inSnapshot = (file: string) => join('snapshots', ID, oldest, file)
      const fileOf = async (snapshotId: string, table: string) => {
        const text = await readFile(join(exported, 'snapshots', ID, snapshotId, 'manifest.json'), 'utf8')
        const found = (JSON.parse(text) as SnapshotManifest).tables.find(({ name }) => name === table)
        return found ? (tableFiles(found).at(-1)?.file ?? '') : ''
      }
      const change = (replace: (text: string) => string) => async (path: string) =>
        writeFile(path, replace(await readFile(path, 'latin1')), 'latin1')
      const newest = (await readdir(join(exported, 'snapshots', ID))).sort().at(-1) ?? ''
      const [sites, entities] = [await fileOf(oldest, 'sites'), await fileOf(newest, 'entities')]
      const damages: [string, (path: string) => Promise<void>, RegExp][] = [
        ['project.json', path => rm(path), /has no project\.json: name one that "foldgate project export" wrote/],
        ['project.json', change(text => text.slice(0, -9)), /is damaged, and nothing was imported: .*Export it again/],
        ['project.json', change(text => text.replace('"formatVersion": 1', '"formatVersion": 9')), /its format 9/],
        ['project.json', change(text => text.replace('"completed"', '"done"')), /"done" is not the state/],
        ['project.json', change(text => text.replace(ID, 'one')), /"one" is not a UUID/],
        [
          'project.json',
          change(text => text.replace(oldest, `../${ID}/${oldest}`)),
          /the snapshot "\.\.\/.* is missing/,
        ],
        [inSnapshot('manifest.json'), path => rm(path), /the snapshot "000001-.*" is missing/],
        [
          inSnapshot('manifest.json'),
          change(text => text.replace(`"${sites}"`, `"../${sites}"`)),
          /manifest\.json of the snapshot 000001-.* is not as it was exported/,
        ],
        [inSnapshot(sites), path => rm(path), /in the snapshot 000001-.*, sites-\S+\.parquet is missing/],
        [
          join('snapshots', ID, newest, entities),
          path => rm(path),
          /in the snapshot 000003-.*, entities-\S+\.parquet is missing/,
        ],
        [
          inSnapshot(sites),
          change(text => `${text.slice(0, 50)}~${text.slice(51)}`),
          /in the snapshot 000001-.*, sites-\S+\.parquet is not as it was sealed/,
        ],
      ]
      for (const [file, damage, message] of damages) {
        const damaged = at('damaged')
        await cp(exported, damaged, { recursive: true })
        await damage(join(damaged, file))
        assert.match(await to.refusal('project', 'import', damaged), message)
        await rm(damaged, { recursive: true })
      }
      await to.assertEmpty()
    })

    it('is not to be seen if the import is killed, and complete after the next', async () => {
      const to = await fresh()
      for (const isWritten of [
        (path: string) => /^tables\/.*\.parquet$/.test(path),
        (path: string) => path === `snapshots/${ID}/000001.json`,
      ]) {
        await to.kill(['project', 'import', exported], isWritten)
        assert.deepEqual(await to.list('project', 'list'), [])
        assert.match(await to.refusal('snapshot', 'list', ID), /There is no project/)
      }
      assert.equal(await to.run('project', 'import', exported), ID)
      assert.deepEqual(await to.listed(ID), listed)
      assert.deepEqual(await snapshotsIn(to.snapshots), await snapshotsIn(from.snapshots))
    })

    it('is not mixed with other snapshots of the same project', async () => {
      const to = await fresh()
      await to.run('project', 'list')
      const oldest = (await directorySnapshots(from.snapshots).list(ID, signal)).at(-1) ?? ''
      const there = manifestPath(to.snapshots, ID, oldest)
      await cp(tablesOf(from.snapshots, ID), tablesOf(to.snapshots, ID), { recursive: true })
      await mkdir(join(there, '..'), { recursive: true })
      await cp(manifestPath(from.snapshots, ID, oldest), there)
      const [sites = ''] = await filesOfTable(to.snapshots, ID, oldest, 'sites')
      await writeFile(sites, 'damaged')
      assert.match(await to.refusal('project', 'import', exported), /has other snapshots of the project .*: move its/)
      assert.equal(await readFile(sites, 'utf8'), 'damaged')
    })

    it('is there again when it is imported after it was removed, with the files that were there', async () => {
      const to = await fresh()
      await to.run('project', 'import', exported)
      const stored = await readdir(tablesOf(to.snapshots, ID))
      await to.run('project', 'remove', ID, '--yes')
      assert.deepEqual(await snapshotsIn(to.snapshots), [])
      assert.equal(await to.run('project', 'import', exported), ID)
      assert.deepEqual(await snapshotsIn(to.snapshots), await snapshotsIn(from.snapshots))
      assert.deepEqual(await readdir(tablesOf(to.snapshots, ID)), stored)
    })

    it('is refused as long as its removal has not ended', async () => {
      const to = await fresh()
      await to.run('project', 'list')
      const store = await to.openStore()
      await store.db.insertInto('removed_projects').values({ project_id: ID, removed_at: 1 }).execute()
      await store.close()
      assert.match(await to.refusal('project', 'import', exported), / but some of its files are still there: remove /)
      await to.run('project', 'remove', ID)
      assert.equal(await to.run('project', 'import', exported), ID)
    })

    it('comes back after it was removed: cursors go on, on the server that runs', async () => {
      server = await from.serve()
      const { url } = server
      const ask = (page: object) => call(url, key, 'query', { projectId: ID, sql: SQL, page })
      const first = await ask({ limit: 1 })
      assert.deepEqual(
        first.items.map(item => item.entity_key),
        ['group'],
      )
      await from.run('project', 'remove', ID, '--yes')
      assert.equal((await ask({ limit: 1 })).class, 'FORBIDDEN')
      await from.run('project', 'import', exported)
      assert.deepEqual(
        (await ask({ limit: 1, cursor: first.next })).items.map(item => item.entity_key),
        ['plant'],
      )
      assert.deepEqual(await from.listed(ID), listed)
      server.child.kill('SIGKILL')
    })
  })
}
