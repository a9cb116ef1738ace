import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { blocksOf } from '../../house/documents.js'
import { type Ended, run, scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../server/package.js'
import { type Answer, call, type Served, serveWith, stop } from '../../server/server.js'
import { ask as askPostgres, isEmbedded, postgresUrl } from '../../server/stores.js'

const FOLDGATE = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
const { early, late } = PROJECT_IDS
const ADA = 'ada@example.org'
const ORGANIZATIONS = ['--organization', 'north', '--organization', 'south']
const STATEMENTS = [
  'SELECT count(*) AS sites FROM sites',
  'SELECT entity_key, ownership_share FROM entities ORDER BY 1',
  'SELECT name FROM entities ORDER BY entity_key',
]
const scratch = scratchFolder()

/** An installation: its places, as variables of its commands, and its server. */
class Installation {
  readonly variables: Record<string, string>
  #server: Served | undefined

  constructor(variables: Record<string, string>) {
    this.variables = variables
  }

  async start(): Promise<string> {
    this.#server = await serveWith(this.variables, scratch.path, ...this.#flags)
    return this.#server.url
  }

  async stop(): Promise<void> {
    if (this.#server) assert.equal(await stop(this.#server.child), 0)
    this.#server = undefined
  }

  kill(): void {
    this.#server?.child.kill('SIGKILL')
  }

  ask(...args: string[]): Promise<Ended> {
    return run(scratch.path, args, { environment: this.variables })
  }

  async command(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await this.ask(...args)
    assert.equal(status, 0, stderr)
    return stdout.trimEnd()
  }

  /** Runs the commands below a heading of docs/operate.md, unchanged, with this folder of the backup. */
  async execute(heading: string, backup: string): Promise<string> {
    const code = (await blocksOf('docs/operate.md')).find(({ below }) => below === heading)?.code
    assert.ok(code, `there are no commands below ${heading}`)
    const env = { ...this.variables, PATH: `${join(scratch.path, 'bin')}:${process.env.PATH}`, BACKUP: backup }
    const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
      cwd: scratch.path,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const ended = once(child, 'close')
    const [said, failed] = await Promise.all([text(child.stdout), text(child.stderr)])
    assert.deepEqual([(await ended)[0], failed], [0, ''])
    return said
  }

  get #flags(): string[] {
    const { FOLDGATE_STORE: store } = this.variables
    return store === undefined ? [] : ['--store', store]
  }
}

/** What an installation answers to a key: rows of statements, and a first page with its cursor. */
async function answersOf(url: string, key: string) {
  const rows: unknown[] = []
  for (const sql of STATEMENTS)
    for (const projectId of [early, late]) rows.push((await call(url, key, 'query', { projectId, sql })).items)
  return rows
}

function pageOf(url: string, key: string, cursor?: string): Promise<Answer> {
  const page = { limit: 1, ...(cursor === undefined ? {} : { cursor }) }
  return call(url, key, 'query', { projectId: early, sql: STATEMENTS[1], page })
}

describe('a backup', () => {
  const installations: Installation[] = []
  const databases: string[] = []

  before(async () => {
    await writePackage(join(scratch.path, 'package'))
    await writeTables(join(scratch.path, 'tables'))
    await mkdir(join(scratch.path, 'bin'))
    await symlink(FOLDGATE, join(scratch.path, 'bin', 'foldgate'))
  })

  after(async () => {
    for (const each of installations) each.kill()
    for (const name of databases) await askPostgres(`DROP DATABASE ${name} WITH (FORCE)`)
  })

  function installation(variables: Record<string, string>): Installation {
    const made = new Installation(variables)
    installations.push(made)
    return made
  }

  /** Backs an installation up while a snapshot is sealed in it, restores it in another place, and compares. */
  async function restoreElsewhere(one: Installation, other: Installation, backup: string): Promise<void> {
    await one.command('import', 'package')
    await one.command('user', 'add', ADA, ...ORGANIZATIONS)
    const key = await one.command('key', 'create', '--user', ADA, ...ORGANIZATIONS)
    const url = await one.start()
    const expected = await answersOf(url, key)
    const { next: cursor = '' } = await pageOf(url, key)
    const second = (await pageOf(url, key, cursor)).items
    assert.equal(second.length, 1)

    const assessment = await one.command('assessment', 'start', early)
    const sealing = one.command('snapshot', 'seal', assessment, 'tables')
    const said = await one.execute('Back up', backup)
    assert.match(said, /^The store and \d snapshots are in /)
    const sealed = await sealing
    await one.stop()

    const restored = await other.execute('Restore', backup)
    assert.match(restored, /snapshots of \d{4}-.* are restored\n/)
    const again = await other.start()
    assert.deepEqual(await answersOf(again, key), expected)
    assert.deepEqual((await pageOf(again, key, cursor)).items, second)
    const ids = async (from: Installation) =>
      (JSON.parse(await from.command('snapshot', 'list', early, '--json')) as { id: string }[]).map(({ id }) => id)
    const before = (await ids(one)).filter(id => id !== sealed)
    assert.deepEqual(
      (await ids(other)).filter(id => id !== sealed),
      before,
    )
    // The restored installation can be written to.
    const fresh = await other.command('key', 'create', '--user', ADA, ...ORGANIZATIONS)
    assert.equal((await call(again, fresh, 'list')).status, 200)
    await other.stop()
    const audit = await other.command('audit', '--action', 'backup.restored', '--json')
    assert.equal(JSON.parse(audit).action, 'backup.restored')
  }

  describe('of a server with an embedded store and a folder', () => {
    let one: Installation
    let backup: string
    const data = (name: string) => ({ FOLDGATE_DATA: join(scratch.path, name) })

    before(function () {
      if (!isEmbedded) this.skip()
      one = installation(data('one'))
      backup = join(scratch.path, 'backup-one')
    })

    it('is restored elsewhere, where keys, cursors and answers are the same', async () => {
      await restoreElsewhere(one, installation(data('two')), backup)
      assert.equal((await stat(backup)).mode & 0o077, 0, 'the backup contains secrets')
    }).timeout(240_000)

    it('is refused where there is something already', async () => {
      const { status, stderr } = await one.ask('restore', backup)
      assert.equal(status, 1)
      assert.match(
        stderr,
        /^error: The data folder has a control store already \(its table ".*" has rows\): name an empty/,
      )
      const full = installation({ ...data('three'), FOLDGATE_SHARED: join(scratch.path, 'one') })
      const other = await full.ask('restore', backup)
      assert.equal(other.status, 1)
      assert.match(other.stderr, /^error: The shared folder ".*one" is not empty: name another with --shared or --data/)
    })

    it('copies no file again that the folder has, and removes those of snapshots that are gone', async () => {
      const filled = JSON.parse(await one.command('backup', backup, '--json'))
      const again = JSON.parse(await one.command('backup', backup, '--json'))
      assert.equal(again.copiedFiles, 0)
      assert.ok(again.keptFiles > 0 && again.keptFiles >= filled.copiedFiles)
      assert.equal(again.snapshots, filled.snapshots)
      await one.command('snapshot', 'prune', early)
      const pruned = JSON.parse(await one.command('backup', backup, '--json'))
      assert.equal(pruned.snapshots, filled.snapshots - 1)
      const files = await readdir(backup, { recursive: true })
      assert.equal(files.filter(name => /^snapshots\/snapshots\/.*\.json$/.test(name)).length, pruned.snapshots)
      assert.equal(files.filter(name => name.startsWith('store-')).length, 1)
    })

    it('that was interrupted is refused, and completed by the same command', async () => {
      const folder = join(scratch.path, 'interrupted')
      await one.command('backup', folder)
      const index = await readFile(join(folder, 'backup.json'))
      const files = await readdir(folder, { recursive: true })
      const [table = ''] = files.filter(name => name.endsWith('.parquet'))
      await rm(join(folder, 'backup.json'))
      await rm(join(folder, table))
      await mkdir(join(folder, 'scratch'))
      await writeFile(join(folder, 'scratch', 'half'), 'half of a file')
      const refused = await installation(data('four')).ask('restore', folder)
      assert.equal(refused.status, 1)
      assert.match(refused.stderr, /^error: ".*interrupted" has no complete backup: name the folder of one, or let/)
      // An index without its files is not complete either.
      await writeFile(join(folder, 'backup.json'), index)
      const damaged = await installation(data('five')).ask('restore', folder)
      assert.equal(damaged.status, 1)
      assert.match(damaged.stderr, /^error: The file "tables\/.*" of the backup in ".*" is missing or damaged/)
      assert.equal(JSON.parse(await one.command('backup', folder, '--json')).copiedFiles, 1)
      // A restore that failed halfway goes on.
      await installation(data('five')).command('restore', folder)
      assert.match(await installation(data('five')).command('snapshot', 'verify'), /snapshots are as sealed/)
    }).timeout(120_000)

    it('is restored where only a look was had, by "foldgate doctor"', async () => {
      const looked = installation(data('looked'))
      await looked.ask('doctor')
      assert.ok((await readdir(join(scratch.path, 'looked', 'snapshots'))).length > 0, 'the folder has a marker')
      await looked.command('restore', backup)
      assert.match(await looked.command('snapshot', 'verify'), /snapshots are as sealed/)
    }).timeout(120_000)

    it('with a damaged file is refused, and the next backup copies that file again', async () => {
      const files = await readdir(backup, { recursive: true })
      const [table = ''] = files.filter(name => name.endsWith('.parquet'))
      await truncate(join(backup, table), 10)
      const { status, stderr } = await installation(data('six')).ask('restore', backup)
      assert.equal(status, 1)
      assert.match(stderr, /is missing or damaged: restore another backup\n$/)
      assert.equal(JSON.parse(await one.command('backup', backup, '--json')).copiedFiles, 1)
    })

    it('is not made of a snapshot that is damaged, and the one before stays', async () => {
      const tables = join(scratch.path, 'one', 'snapshots', 'tables', late)
      const [table = ''] = (await readdir(tables)).filter(name => name.endsWith('.parquet'))
      await truncate(join(tables, table), 10)
      const fresh = join(scratch.path, 'of-damaged')
      const { status, stderr } = await one.ask('backup', fresh)
      assert.equal(status, 1)
      assert.match(stderr, new RegExp(`^error: The snapshot 0.* of the project ${late} is damaged, or cannot be read`))
      assert.ok(!(await readdir(fresh)).includes('backup.json'))
      // Killed processes leave folders, too. Each copy of the store has secrets.
      await mkdir(join(fresh, 'store-killed.db.draft-abcdef'))
      assert.equal((await one.ask('backup', fresh)).status, 1)
      assert.equal((await readdir(fresh)).filter(name => name.startsWith('store-')).length, 1)
    })
  })

  it('of servers with PostgreSQL and a shared folder is restored elsewhere', async function () {
    if (!postgresUrl) this.skip()
    const places = async (name: string) => {
      const database = `foldgate_${name}_${process.pid}`
      await askPostgres(`CREATE DATABASE ${database}`)
      databases.push(database)
      const store = new URL(postgresUrl ?? '')
      store.pathname = `/${database}`
      const [FOLDGATE_DATA, FOLDGATE_SHARED] = [join(scratch.path, name), join(scratch.path, `${name}-shared`)]
      return installation({ FOLDGATE_DATA, FOLDGATE_SHARED, FOLDGATE_STORE: store.href })
    }
    await restoreElsewhere(await places('several'), await places('restored'), join(scratch.path, 'backup-two'))
  }).timeout(240_000)
})
