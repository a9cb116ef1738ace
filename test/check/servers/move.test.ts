import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { access, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import { openStore } from '#server/database/store.js'
import { blocksOf } from '../../house/documents.js'
import { type Ended, output, outputJson, run, scratchFolder, start as startCommand } from '../../server/command.js'
import { PROJECT_IDS, writePackage } from '../../server/package.js'
import { call, serve, stop } from '../../server/server.js'
import { postgresUrl, storeInPostgres } from '../../server/stores.js'
import { until } from '../../until.js'

const FOLDGATE = fileURLToPath(new URL('../../../server/bin/foldgate.js', import.meta.url))
const PASSWORD = 'hunter2-is-no-secret'
const SQL = 'SELECT name, entity_key FROM entities ORDER BY entity_key'
const scratch = scratchFolder()

/** Runs the commands of docs/servers.md, unchanged, and returns what they print. */
async function moveAsDocumented(store: string, shared: string): Promise<string> {
  const blocks = await blocksOf('docs/servers.md')
  const commands = blocks.find(({ below }) => below === 'Move from an embedded store to PostgreSQL')?.code
  assert.ok(commands)
  const bin = join(scratch.path, 'bin')
  for (const folder of [bin, shared]) await mkdir(folder)
  await symlink(FOLDGATE, join(bin, 'foldgate'))
  const { stdout, stderr } = await promisify(execFile)('sh', ['-euc', commands], {
    env: {
      PATH: `${bin}:${process.env.PATH}`,
      FOLDGATE_DATA: join(scratch.path, 'foldgate-data'),
      NEW_STORE: store,
      NEW_SHARED: shared,
    },
  })
  assert.equal(stderr, '')
  return stdout
}

/** Asserts that a command was refused with a message, without the password of any URL in it. */
function assertRefused({ status, stdout, stderr }: Ended, message: RegExp): void {
  assert.deepEqual([status, stdout], [1, ''])
  assert.match(stderr, message)
  assert.match(stderr, /^error: [^\n]*\n$/)
  assert.equal(stderr.includes(PASSWORD), false)
}

describe('moving the embedded store to PostgreSQL', () => {
  let target: string
  let key: string
  const children: ChildProcess[] = []
  const move = (url = target, ...args: string[]) => run(scratch.path, ['store', 'move', url, ...args])

  async function start(...flags: string[]): Promise<{ url: string; child: ChildProcess }> {
    const server = await serve(scratch.path, ...flags)
    children.push(server.child)
    return server
  }

  before(async function () {
    if (!postgresUrl) return this.skip()
    const url = new URL(await storeInPostgres(scratch.path))
    url.password = PASSWORD
    target = url.href
    await writePackage(join(scratch.path, 'package'))
    await output(scratch.path, 'import', 'package')
    const grants = ['--organization', 'north', '--organization', 'south']
    await output(scratch.path, 'user', 'add', 'ada@example.org', ...grants)
    key = await output(scratch.path, 'key', 'create', '--user', 'ada@example.org', ...grants)
  })

  after(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  it('is refused for a bad URL, an unreachable database, a store in PostgreSQL and an empty store', async () => {
    assertRefused(await move(`mysql://u:${PASSWORD}@h/d`), /new store cannot be used as it is: give a PostgreSQL/)
    const unreachable = `postgres://u:${PASSWORD}@127.0.0.1:1/d`
    assertRefused(await move(unreachable), /cannot be reached \(ECONNREFUSED\): start it, or correct the URL/)
    const environment = { FOLDGATE_STORE: target }
    const there = await run(scratch.path, ['store', 'move', target], { environment })
    assertRefused(there, /in PostgreSQL already: .* without --store and without FOLDGATE_STORE/)
    assertRefused(await move(target, '--data', 'fresh'), /in the data folder is empty: name the data folder to move/)
  })

  it('changes neither store if it is killed halfway', async () => {
    const there = await output(scratch.path, 'project', 'list')
    await output(scratch.path, 'organization', 'list', '--store', target, '--data', 'other')
    const blocker = new pg.Client({ connectionString: target })
    await blocker.connect()
    try {
      await blocker.query('begin; lock table projects')
      const child = startCommand(scratch.path, ['store', 'move', target])
      children.push(child)
      const ended = once(child, 'close')
      const waits = "select from pg_locks where not granted and relation = 'projects'::regclass"
      await until(async () => (await blocker.query(waits)).rowCount === 1, 'the move has come to the projects')
      child.kill('SIGKILL')
      assert.deepEqual(await ended, [null, 'SIGKILL'])
      await blocker.query('commit')
      // Waits for the database to notice, and to undo what the killed process has copied.
      await blocker.query('begin; lock table organizations, keys')
      const { rows } = await blocker.query(
        'select (select count(*) from organizations) + (select count(*) from keys) as n',
      )
      assert.deepEqual(rows, [{ n: '0' }])
    } finally {
      await blocker.end()
    }
    assert.equal(await output(scratch.path, 'project', 'list'), there)
  })

  it('keeps every key, cursor and link valid, and leaves a file that no command uses', async () => {
    const before = await start()
    const projectId = PROJECT_IDS.late
    const page = await call(before.url, key, 'query', { projectId, sql: SQL, page: { limit: 1 } })
    const list = await call(before.url, key, 'list', { page: { limit: 1 } })
    const exported = await call(before.url, key, 'export', { projectId, sql: SQL })
    assert.ok(page.next && list.next && exported.link)
    assertRefused(await move(), /The process \d+ runs "foldgate serve" on the data folder .*: stop it first/)
    assert.equal(await stop(before.child), 0)

    // A look at the database, as "foldgate doctor" has it, leaves a row.
    const looked = await openStore(target)
    await looked.requireWritable()
    await looked.close()
    const shared = join(scratch.path, 'shared')
    const moved = await moveAsDocumented(target, shared)
    assert.equal(moved.includes(PASSWORD), false)
    assert.match(moved, /^Set FOLDGATE_STORE=postgres:\/\/.* with the password added\.$/m)
    await access(join(scratch.path, 'foldgate-data', 'control.db'))
    const used = /was moved to PostgreSQL: name its database with --store or FOLDGATE_STORE/
    for (const args of [
      ['serve', '--port', '0'],
      ['key', 'list'],
      ['store', 'move', target],
    ])
      assertRefused(await run(scratch.path, args), used)

    const places = ['--store', target, '--shared', shared]
    const recorded = await outputJson<{ action: string }>(scratch.path, 'audit', '--action', 'store', ...places)
    assert.equal(recorded.action, 'store.moved')

    const { port } = new URL(before.url)
    const after = await start('--store', target, '--shared', shared, '--port', port)
    const names = (answer: { items: Record<string, unknown>[] }) => answer.items.map(({ name }) => name)
    const whole = await call(after.url, key, 'query', { projectId, sql: SQL })
    const rest = await call(after.url, key, 'query', { projectId, sql: SQL, page: { limit: 1, cursor: page.next } })
    assert.deepEqual(names(rest), names(whole).slice(1, 2))
    const projects = await call(after.url, key, 'list')
    const next = await call(after.url, key, 'list', { page: { cursor: list.next } })
    assert.equal(projects.items.length, 4)
    assert.deepEqual(names(next), names(projects).slice(1))
    const file = await fetch(exported.link, { headers: { authorization: `Bearer ${key}` } })
    assert.equal(file.status, 200)
    assert.equal(Buffer.from(await file.arrayBuffer()).toString('latin1', 0, 4), 'PAR1')
    const added = [
      'project',
      'add',
      '--organization',
      'north',
      '--name',
      'Added',
      '--store',
      target,
      '--shared',
      shared,
    ]
    await output(scratch.path, ...added)
    assert.deepEqual(names(await call(after.url, key, 'list')), [...names(projects), 'Added'])
    assert.equal(await stop(after.child), 0)
  })

  it('is refused when the database has a store already', async () => {
    await output(scratch.path, 'organization', 'add', 'east', '--name', 'East', '--data', 'second')
    assertRefused(await move(target, '--data', 'second'), /has a control store already \(its table "\w+" has rows\)/)
    assert.equal((await output(scratch.path, 'organization', 'list', '--data', 'second')).includes('East'), true)
  })
})
