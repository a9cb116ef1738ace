import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { blocksOf } from '../../house/documents.js'
import { output, outputJson, scratchFolder } from '../../server/command.js'
import { PROJECT_IDS, writePackage, writeTables } from '../../server/package.js'
import { call, type Served, serve, stop } from '../../server/server.js'
import { ask as askPostgres, isEmbedded, postgresUrl } from '../../server/stores.js'

const FOLDGATE = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
const projectId = PROJECT_IDS.early
const scratch = scratchFolder()

/** The commands below a heading of the document, unchanged. */
async function commandsOf(heading: string): Promise<string> {
  const commands = (await blocksOf('docs/operate.md')).find(({ below }) => below === heading)?.code
  return commands ?? assert.fail(`there are no commands below ${heading}`)
}

/** A service that is backed up, changed, lost and restored with the commands of the document. */
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

  /** Changes the service after the backup: revokes a key, adds an organization, seals another snapshot. */
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

  /** Asserts that the service answers as it did at the time of the backup. */
  async assertRestored(): Promise<void> {
    await this.#start()
    const sql = 'SELECT count(*) AS sites FROM sites'
    assert.deepEqual((await call(this.#url, this.#key, 'query', { projectId, sql })).items, [{ sites: 1 }])
    assert.equal((await call(this.#url, this.#key, 'list')).items.length, 4)
    const organizations = await outputJson<{ id: string }[]>(scratch.path, 'organization', 'list', ...this.#places)
    assert.deepEqual(organizations.map(({ id }) => id).sort(), ['north', 'south'])
    const snapshots = await outputJson<unknown[]>(scratch.path, 'snapshot', 'list', projectId, ...this.#places)
    assert.equal(snapshots.length, 1)
    // The restored service can also be written to.
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

  it('restores a server with an embedded store', async function () {
    if (!isEmbedded) this.skip()
    const data = join(scratch.path, 'one')
    const backup = join(scratch.path, 'backup-one')
    const lost = new Lost(['--data', data], { FOLDGATE_DATA: data, BACKUP: backup })
    made.push(lost)
    await lost.prepare()
    await lost.execute('Back up a server with an embedded store')
    assert.equal((await stat(join(backup, 'control.db'))).mode & 0o077, 0, 'the backup contains secrets')
    await lost.change()
    await lost.stop()
    await lost.execute('Restore a server with an embedded store')
    await lost.assertRestored()
  }).timeout(60_000)

  it('restores servers with PostgreSQL', async function () {
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
  }).timeout(60_000)
})
