import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { OTHER_PROJECT, PACKAGE, PROJECT, type Service, startService } from '../../service/service.js'
import { readStatements } from '../../sql/statements.js'
import { attacks } from './attacks.js'
import { type Outcome, Unguarded } from './unguarded.js'

const MARK = 'outside-7c1e'
/** Strings that can come only from files of the machine, or from the other project that the process has open. */
const OF_THE_MACHINE = new RegExp(`${MARK}|root:x:0|nameserver |PATH=`)
const SECRETS = { 'secret.csv': `a,b\n1,${MARK}\n`, 'secret.json': `{"a":"${MARK}"}\n`, 'secret.txt': `${MARK}\n` }

describe('an engine process without a guard', () => {
  let service: Service
  let engines: Unguarded[]
  let outside: string
  let server: Server
  let connections = 0
  let written: Map<string, string>
  before(async () => {
    service = await startService()
    await service.seal(OTHER_PROJECT, { ...PACKAGE, 'amounts.csv': PACKAGE['amounts.csv'].replace('water', MARK) })
    outside = await mkdtemp(join(tmpdir(), 'foldgate-outside-'))
    for (const [name, text] of Object.entries(SECRETS)) await writeFile(join(outside, name), text)
    server = createServer((_, response) => response.end(MARK)).on('connection', () => {
      connections += 1
    })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    await service.call('projects/query', { projectId: OTHER_PROJECT, sql: 'SELECT amount FROM amounts' })
    engines = await Promise.all([1, 2].map(() => Unguarded.open(service, PROJECT, { beside: OTHER_PROJECT })))
    written = await fingerprints(service.folder)
  })
  after(async () => {
    server.close()
    for (const engine of engines) await engine.close()
    await service.close()
    await rm(outside, { recursive: true, force: true })
  })

  /** Runs each statement on one of the engines; returns the faults. */
  async function each(statements: readonly string[], wrong: (outcome: Outcome) => string | null): Promise<string[]> {
    const found: string[] = []
    const queue = [...statements]
    const work = async (engine: Unguarded) => {
      for (let sql = queue.shift(); sql !== undefined; sql = queue.shift()) {
        const { outcome, left } = await engine.runAndLook(sql)
        const fault = left === null ? wrong(outcome) : `leaves ${left.slice(0, 300)}`
        if (fault) found.push(`${sql.slice(0, 200)}: ${fault}`)
      }
    }
    await Promise.all(engines.map(work))
    return found
  }

  it('reveals nothing of the machine and keeps nothing, for every statement that the guard would refuse', async () => {
    const statements = readStatements('refused').filter(({ rule }) => rule !== undefined)
    const found = await each(
      statements.map(({ sql }) => sql),
      outcome => ('rows' in outcome && OF_THE_MACHINE.test(outcome.rows) ? outcome.rows.slice(0, 200) : null),
    )
    assert.deepEqual(found, [])
  }).timeout(900_000)

  it('fails every statement that reaches beyond it', async () => {
    const cache = join(service.folder, 'engine', 'cache', OTHER_PROJECT)
    const [file = ''] = (await readdir(cache, { recursive: true })).filter(name => name.endsWith('.duckdb'))
    const otherTenantScratch = join(service.folder, 'engine', 'scratch', '1')
    await stat(otherTenantScratch)
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    const places = { outside, otherTenantFile: join(cache, file), otherTenantScratch, origin }
    // Relations of the other project that the same process has open, in a separate instance.
    const [beside = ''] = engines.map(engine => join(engine.folder, 'cache', OTHER_PROJECT))
    const own = (await readdir(join(beside, '..', PROJECT), { recursive: true })).map(name => basename(name))
    const open = (await readdir(beside, { recursive: true })).filter(
      name => name.endsWith('.duckdb') && !own.includes(basename(name)),
    )
    assert.ok(open.length > 0)
    const ofOpen = open.flatMap(name => {
      const alias = basename(name, '.duckdb')
      const path = join(beside, name)
      return [`FROM ${alias}.main.amounts`, `FROM ${alias}.main.entities`, `SELECT * FROM read_blob('${path}')`].concat(
        `ATTACH '${path}' AS taken (READ_ONLY)`,
      )
    })
    const found = await each([...attacks(places), ...ofOpen], outcome =>
      'rows' in outcome ? outcome.rows.slice(0, 200) : null,
    )
    assert.deepEqual(found, [])
  })

  it('shows only the databases of its own project, whatever else the process has open', async () => {
    for (const engine of engines) {
      const beside = await readdir(join(engine.folder, 'cache', OTHER_PROJECT), { recursive: true })
      const own = await readdir(join(engine.folder, 'cache', PROJECT), { recursive: true })
      const aliases = (names: string[]) => names.flatMap(name => /r_[0-9a-f]{24}(?=\.duckdb$)/.exec(name) ?? [])
      const { outcome } = await engine.runAndLook('SELECT string_agg(database_name) AS names FROM duckdb_databases()')
      const seen = 'rows' in outcome ? outcome.rows : assert.fail(outcome.detail)
      assert.ok(aliases(own).some(alias => seen.includes(alias)))
      const foreign = aliases(beside).filter(alias => !aliases(own).includes(alias))
      assert.ok(foreign.length > 0)
      assert.deepEqual(
        foreign.filter(alias => seen.includes(alias)),
        [],
      )
    }
  })

  it('binds a statement over relations that are not built behind the same walls', async () => {
    const engine = await Unguarded.open(service, PROJECT, { beside: OTHER_PROJECT, builds: false })
    try {
      assert.deepEqual(await engine.bind('SELECT item FROM amounts'), {
        rows: JSON.stringify([[{ name: 'item', type: 'VARCHAR' }], [{ name: 'amounts', built: false }]]),
      })
      const given = (await readdir(engine.folder, { recursive: true }))
        .filter(name => name.includes('/given/') && name.includes(OTHER_PROJECT) && name.endsWith('.duckdb'))
        .map(name => join(engine.folder, name))
      assert.ok(given.length > 0)
      for (const path of [...given, join(outside, 'secret.txt')])
        for (const read of ['read_blob', 'read_text', 'read_csv']) {
          const outcome = await engine.bind(`SELECT * FROM ${read}('${path}')`)
          assert.ok(
            'failure' in outcome && /Cannot access|No files found/.test(outcome.detail),
            JSON.stringify(outcome),
          )
        }
    } finally {
      await engine.close()
    }
  })

  it('has neither read nor written files outside, and has opened no connections', async () => {
    assert.equal(connections, 0)
    assert.deepEqual((await readdir(outside)).sort(), Object.keys(SECRETS).sort())
    for (const [name, text] of Object.entries(SECRETS)) {
      // If the file system records access times, the first read of a file sets its access time after its last write.
      const { atimeMs, mtimeMs } = await stat(join(outside, name))
      assert.ok(atimeMs <= mtimeMs, `${name} was read`)
      assert.equal(await readFile(join(outside, name), 'utf8'), text)
    }
    assert.deepEqual(await fingerprints(service.folder), written)
  })

  it('has harmed neither its own project nor the other one', async () => {
    for (const projectId of [PROJECT, OTHER_PROJECT]) {
      const { body } = await service.call('projects/query', { projectId, sql: 'SELECT sum(amount) AS s FROM amounts' })
      assert.deepEqual(body.result?.items, [{ s: 177 }], body.message)
    }
  })
})

/** Digest of every file below a folder. */
async function fingerprints(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    const path = join(folder, name)
    if ((await stat(path)).isFile())
      found.set(
        path,
        createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      )
  }
  return found
}
