import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openStore } from '#server/store/store.js'
import { blocksOf } from '../../house/documents.js'
import { ask, output, outputJson, run, scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../server/package.js'
import { call, type Served, serve, stop } from '../../server/server.js'
import { ask as askPostgres, isEmbedded, postgresUrl, storeInPostgres } from '../../server/stores.js'

const FOLDGATE = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
const projectId = PROJECT_IDS.early
const scratch = scratchFolder()

/** The commands below a heading of the document, as they stand there. */
async function commandsOf(heading: string): Promise<string> {
  const commands = (await blocksOf('docs/operate.md')).find(({ below }) => below === heading)?.code
  return commands ?? assert.fail(`there are no commands below ${heading}`)
}

/** A service that is backed up, changed, lost and restored by the commands of the document. */
class Lost {
  readonly #places: string[]
  readonly #environment: NodeJS.ProcessEnv
  #server: Served | undefined
  #key = ''

  constructor(places: string[], environment: NodeJS.ProcessEnv) {
    this.#places = places
    this.#environment = environment
  }

  async prepare(): Promise<void> {
    const bin = join(scratch.path, 'bin')
    await mkdir(bin, { recursive: true })
    await symlink(FOLDGATE, join(bin, 'foldgate')).catch(() => {})
    await mkdir(this.#environment.BACKUP ?? '', { recursive: true })
    await this.#command('import', 'package')
    await this.#command('user', 'add', 'ada@example.org', '--organization', 'north', '--organization', 'south')
    this.#key = await this.#makeKey()
    await this.#start()
  }

  async execute(heading: string): Promise<void> {
    const environment = { PATH: `${join(scratch.path, 'bin')}:${process.env.PATH}`, ...this.#environment }
    const commands = await commandsOf(heading)
    const child = spawn('bash', ['-euo', 'pipefail', '-c', commands], {
      cwd: scratch.path,
      env: environment,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const [said, [status]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual([status, said], [0, ''])
  }

  /** What came after the backup: a key revoked, an organization, a project, another snapshot. */
  async change(): Promise<void> {
    const [listed] = await outputJson<{ id: string }[]>(scratch.path, 'key', 'list', ...this.#places)
    await this.#command('key', 'revoke', listed?.id ?? '')
    await this.#command('organization', 'add', 'west', '--name', 'West')
    const assessment = await this.#command('assessment', 'start', projectId)
    await this.#command('snapshot', 'seal', assessment, 'tables')
    assert.equal((await call(this.#url, this.#key, 'list')).status, 401)
  }

  async stop(): Promise<void> {
    if (this.#server) assert.equal(await stop(this.#server.child), 0)
    this.#server = undefined
  }

  kill(): void {
    this.#server?.child.kill('SIGKILL')
  }

  /** Everything answers as it did when it was backed up. */
  async assertRestored(): Promise<void> {
    await this.#start()
    const sql = 'SELECT count(*) AS sites FROM sites'
    assert.deepEqual((await call(this.#url, this.#key, 'query', { projectId, sql })).items, [{ sites: 1 }])
    assert.equal((await call(this.#url, this.#key, 'list')).items.length, 4)
    const organizations = await outputJson<{ id: string }[]>(scratch.path, 'organization', 'list', ...this.#places)
    assert.deepEqual(organizations.map(({ id }) => id).sort(), ['north', 'south'])
    const snapshots = await outputJson<unknown[]>(scratch.path, 'snapshot', 'list', projectId, ...this.#places)
    assert.equal(snapshots.length, 1)
    // It is not only read: what comes next is written beside it.
    assert.equal((await call(this.#url, await this.#makeKey(), 'list')).status, 200)
    await this.stop()
  }

  get #url(): string {
    return this.#server?.url ?? ''
  }

  async #start(): Promise<void> {
    this.#server = await serve(scratch.path, ...this.#places)
  }

  #command(...args: string[]): Promise<string> {
    return output(scratch.path, ...args, ...this.#places)
  }

  #makeKey(): Promise<string> {
    const organizations = ['--organization', 'north', '--organization', 'south']
    return this.#command('key', 'create', '--user', 'ada@example.org', ...organizations)
  }
}

describe('the backup of docs/operate.md', () => {
  const made: Lost[] = []

  before(async () => {
    await writePackage(join(scratch.path, 'package'))
    await writeTables(join(scratch.path, 'tables'))
    const sites =
      'site_key,entity_key,name,iso3,latitude,longitude,biome_num,ecoregion_id,biome_method,source_id,source_ref'
    await writeFile(join(scratch.path, 'tables', 'sites.csv'), `${sites}\none,plant,,,,,,,,,\ntwo,plant,,,,,,,,,\n`)
  })

  after(() => {
    for (const each of made) each.kill()
  })

  it('brings a server with an embedded store back', async function () {
    if (!isEmbedded) this.skip()
    const data = join(scratch.path, 'one')
    const backup = join(scratch.path, 'backup-one')
    const lost = new Lost(['--data', data], { FOLDGATE_DATA: data, BACKUP: backup })
    made.push(lost)
    await lost.prepare()
    await lost.execute('Back up a server with an embedded store')
    assert.equal((await stat(join(backup, 'control.db'))).mode & 0o077, 0, 'it holds secrets')
    await lost.change()
    await lost.stop()
    await lost.execute('Restore a server with an embedded store')
    await lost.assertRestored()
  })

  it('brings servers with PostgreSQL back', async function () {
    if (!postgresUrl) this.skip()
    const name = `foldgate_backup_${process.pid}`
    await askPostgres(`CREATE DATABASE ${name}`)
    const store = new URL(postgresUrl)
    store.pathname = `/${name}`
    const places = { FOLDGATE_DATA: join(scratch.path, 'several'), FOLDGATE_SHARED: join(scratch.path, 'shared') }
    const { FOLDGATE_DATA: data, FOLDGATE_SHARED: shared } = places
    const flags = ['--data', data, '--shared', shared, '--store', store.href]
    const lost = new Lost(flags, { ...places, FOLDGATE_STORE: store.href, BACKUP: join(scratch.path, 'backup-two') })
    made.push(lost)
    try {
      await lost.prepare()
      await lost.execute('Back up servers with PostgreSQL')
      await lost.change()
      await lost.stop()
      await lost.execute('Restore servers with PostgreSQL')
      await lost.assertRestored()
    } finally {
      lost.kill()
      await askPostgres(`DROP DATABASE ${name} WITH (FORCE)`)
    }
  })
})

describe('a copy of the embedded store', () => {
  before(function () {
    if (!isEmbedded) this.skip()
  })

  it('is whole while others write', async () => {
    const data = ['--data', join(scratch.path, 'busy')]
    await output(scratch.path, 'organization', 'add', 'first', '--name', 'First', ...data)
    const store = await openStore(join(scratch.path, 'busy', 'control.db'))
    let isCopied = false
    const writing = (async () => {
      for (let at = 0; !isCopied; at++) {
        await store.transaction(async within => {
          const rows = ['a', 'b'].map(half => ({ key: `${half}-${at}`, name: half, created_at: at }))
          for (const row of rows) await within.db.insertInto('organizations').values(row).execute()
        })
        await setImmediate() // its driver lets nothing else have a turn
      }
    })()
    for (let copy = 1; copy <= 3; copy++) {
      const file = join(scratch.path, `copy-${copy}.db`)
      assert.equal(await output(scratch.path, 'store', 'copy', file, ...data), file)
      const copied = await openStore(file)
      const { keys } = await copied.db
        .selectFrom('organizations')
        .select(({ fn }) => fn.countAll<number>().as('keys'))
        .executeTakeFirstOrThrow()
      await copied.close()
      assert.ok(keys > copy && keys % 2 === 1, 'half of a transaction, or none')
    }
    isCopied = true
    await writing
    await store.close()
  })

  it('is refused where it would not be one', async () => {
    const data = ['--data', join(scratch.path, 'busy')]
    await writeFile(join(scratch.path, 'there.db'), '')
    for (const [args, message] of [
      [['there.db', ...data], /^error: The file "there\.db" is there already: name another\n$/],
      [['nowhere/copy.db', ...data], /^error: The file "nowhere\/copy\.db" cannot be written: name one in a folder/],
    ] as const) {
      const { status, stderr } = await ask(scratch.path, ['store', 'copy', ...args])
      assert.equal(status, 1)
      assert.match(stderr, message)
    }
    if (!postgresUrl) return
    const store = await storeInPostgres(join(scratch.path, 'copied'))
    const { status, stderr } = await run(scratch.path, ['store', 'copy', 'pg.db', '--store', store])
    assert.equal(status, 1)
    assert.match(stderr, /^error: The control store is in PostgreSQL: copy it with pg_dump, see docs\/operate\.md\n$/)
  })
})
