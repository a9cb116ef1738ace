import assert from 'node:assert/strict'
import { cp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { createKey } from '#server/store/keys.js'
import { addUser } from '#server/store/users.js'
import { scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../server/package.js'
import { call, type Served, stop } from '../../server/server.js'
import { postgresUrl } from '../../server/stores.js'
import { manifestPath } from '../../stored.js'
import { until } from '../../until.js'
import { Installation } from './installation.js'

const scratch = scratchFolder()
const { early, late } = PROJECT_IDS
const SQL = 'SELECT count(*) AS sites FROM sites'

for (const [where, isEmbedded] of [
  ['an embedded store', true],
  ['PostgreSQL', false],
] as const)
  describe(`a server on ${where} whose snapshots are missing`, () => {
    let installation: Installation
    let server: Served
    let key: string
    let tables: string

    before(async function () {
      if (!isEmbedded && !postgresUrl) this.skip()
      const folder = join(scratch.path, isEmbedded ? 'embedded' : 'postgres')
      installation = await Installation.in(folder, isEmbedded)
      await writePackage(join(scratch.path, 'package'))
      await installation.run('import', join(scratch.path, 'package'))
      tables = join(scratch.path, 'tables')
      await writeTables(tables)
      const store = await installation.openStore()
      const organizations = ['north', 'south']
      await addUser(store, { email: 'ada@example.org', organizations })
      key = (await createKey(store, { user: 'ada@example.org', organizations })).key
      await store.close()
      server = await installation.serve()
    })
    after(async () => {
      if (server) await stop(server.child)
    })

    const ask = async (projectId: string, snapshot: string | null = null) => {
      const { items, class: failure } = await call(server.url, key, 'query', { projectId, sql: SQL, snapshot })
      return failure ?? items[0]?.sites
    }
    /** Waits for an answer: servers share a listing for 20 ms, so that what another process changed is read after that. */
    const answers = (projectId: string, answer: unknown, snapshot: string | null = null) =>
      until(async () => (await ask(projectId, snapshot)) === answer, `${answer}`)
    const ready = async (search = ''): Promise<[number, Record<string, unknown>]> => {
      const response = await fetch(`${server.url}/ready${search}`)
      return [response.status, (await response.json()) as Record<string, unknown>]
    }
    /** The dependencies that are down, of a server that is ready all the same. */
    const down = async () => {
      assert.deepEqual(await ready(), [200, { status: 'ready' }])
      return (await ready('?details'))[1].down
    }
    const list = (projectId: string) =>
      directorySnapshots(installation.snapshots).list(projectId, new AbortController().signal)
    const newestOf = async (projectId: string) => {
      const [id = ''] = await list(projectId)
      return { id, path: manifestPath(installation.snapshots, projectId, id) }
    }
    const seal = async () => {
      const assessment = (await installation.run('assessment', 'start', early)).trim()
      const id = (await installation.run('snapshot', 'seal', assessment, tables)).trim()
      await installation.run('assessment', 'complete', assessment)
      return id
    }

    it('answers no older numbers when the newest one is deleted, and says so', async () => {
      await seal()
      await answers(early, 1)
      const newest = await newestOf(early)
      const aside = join(scratch.path, `aside-${isEmbedded}`)
      const older = (await list(early)).at(-1)
      for (const snapshot of [older, newest.id]) await answers(early, 1, snapshot)
      await rename(newest.path, aside)
      await answers(early, 'UNAVAILABLE')
      // Not that it was removed: it may be there again, like the newest one.
      for (const snapshot of [older, newest.id]) await answers(early, 'UNAVAILABLE', snapshot)
      assert.deepEqual(await ready(), [200, { status: 'ready', missingSnapshots: 1 }])
      await answers(late, 1)
      const lines = server.log().split('\n').filter(Boolean)
      const errors = lines.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
      assert.deepEqual(
        errors.map(({ type, projectId, msg }) => [type, projectId, msg]),
        [['snapshot', early, 'the newest snapshot of a project is missing: its queries are UNAVAILABLE']],
      )
      await rename(aside, newest.path)
      await answers(early, 1)
      await until(async () => !('missingSnapshots' in (await ready())[1]), 'it is no longer missing')
    })

    it('answers no older numbers when it starts without the newest one', async () => {
      const { path: manifest } = await newestOf(late)
      const aside = join(scratch.path, `manifest-${isEmbedded}`)
      await stop(server.child)
      await rename(manifest, aside)
      server = await installation.serve()
      await answers(late, 'UNAVAILABLE')
      await rename(aside, manifest)
      await answers(late, 1)
    })

    it('does not answer from a snapshot of another project in its place', async () => {
      await stop(server.child)
      const [{ path: own }, { path: other }] = [await newestOf(late), await newestOf(early)]
      await rename(own, `${own}-own`)
      await cp(other, own)
      server = await installation.serve()
      await answers(late, 'UNAVAILABLE')
      assert.match(server.log(), /snapshots is down: the newest snapshot of the project \S+ is missing/)
      await rm(own)
      await rename(`${own}-own`, own)
      await answers(late, 1)
    })

    it('reads the older one once it is accepted, and a newer one at once', async () => {
      const lost = await newestOf(early)
      await rm(lost.path)
      await answers(early, 'UNAVAILABLE')
      const accepted = await installation.run('snapshot', 'accept')
      assert.match(accepted, new RegExp(`^${early}: 000001-.{36}$`))
      await answers(early, 1)
      await answers(early, 'INVALID_PARAMS', lost.id)
      const id = await seal()
      assert.match(id, /^000002-/)
      await rm((await newestOf(early)).path)
      await answers(early, 'UNAVAILABLE')
      // Of the same number as the one that is lost.
      assert.match(await seal(), /^000002-/)
      await answers(early, 1)
      assert.match(
        await installation.run('snapshot', 'accept', early),
        /^The shared folder is accepted: it has the newest snapshots that the store knows$/,
      )
    })

    it('answers UNAVAILABLE while the shared folder is away, and tells it in its details', async () => {
      const sql = 'SELECT 1 AS one'
      const link = (await call(server.url, key, 'export', { projectId: early, sql })).link ?? ''
      const download = async () => (await fetch(link, { headers: { authorization: `Bearer ${key}` } })).status
      assert.equal(await download(), 200)
      const away = `${installation.snapshots}-away`
      const exports = join(installation.snapshots, '..', 'exports')
      await rename(installation.snapshots, away)
      await rename(exports, `${exports}-away`)
      assert.deepEqual(await down(), ['snapshots'])
      for (const projectId of [early, late]) await answers(projectId, 'UNAVAILABLE')
      assert.equal(await ask(PROJECT_IDS.idle), 'NOT_READY')
      assert.equal((await call(server.url, key, 'export', { projectId: late, sql })).class, 'UNAVAILABLE')
      assert.equal(await download(), 503)
      assert.equal(
        server.log().split('the shared folder is not there: its marker is missing: calls that need it are').length,
        2,
      )
      await rename(away, installation.snapshots)
      await rename(`${exports}-away`, exports)
      assert.deepEqual(await down(), [])
      for (const projectId of [early, late]) await answers(projectId, 1)
      assert.equal(await download(), 200)
      const store = join(installation.snapshots, '.store')
      await rename(store, `${store}-own`)
      await writeFile(store, 'another\n')
      assert.deepEqual(await down(), ['snapshots'])
      await rename(`${store}-own`, store)
    })

    it('does not start without the shared folder, nor makes one, and no command does', async () => {
      assert.equal(await stop(server.child), 0)
      const away = `${installation.snapshots}-away`
      await rename(installation.snapshots, away)
      for (const args of [
        ['serve', '--port', '0'],
        ['import', join(scratch.path, 'package')],
        ['snapshot', 'verify'],
      ])
        assert.match(
          await installation.refusal(...args),
          /^error: The shared folder .* does not hold the snapshots of this store \(snapshots\/\.store is missing\): mount it, or name it with --shared\. If its content is right, run "foldgate snapshot accept"\n$/,
        )
      assert.ok(!(await readdir(join(installation.snapshots, '..'))).includes('snapshots'))
      await rename(away, installation.snapshots)
      server = await installation.serve()
      await answers(late, 1)
    })

    it('does not start on the folder of another store, unless that is accepted', async () => {
      const other = await Installation.in(join(scratch.path, `other-${isEmbedded}`), isEmbedded)
      await cp(installation.snapshots, other.snapshots, { recursive: true })
      assert.deepEqual(await other.list('organization', 'list'), [])
      const told = await other.refusal('snapshot', 'verify')
      assert.match(
        told,
        /^error: The shared folder .* has the snapshots of another control store: name the one of this store, or run/,
      )
      assert.equal(
        await other.run('snapshot', 'accept'),
        'The shared folder is accepted: it has the newest snapshots that the store knows',
      )
      assert.equal(await other.run('snapshot', 'verify'), '0 snapshots are as sealed')
    })
  })
