import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { directorySnapshots } from 'foldgate'
import { WebSocket } from 'ws'
import { FORMAT_VERSION } from '#lib/snapshots/manifest.js'
import { confirmRemoval } from '#server/cli/confirm.js'
import { openStore } from '#server/database/store.js'
import { until } from '../until.js'
import { ask, output, outputJson, scratchFolder } from './command.js'
import { addProjects, PROJECT_IDS, writeTables } from './package.js'
import { call, type Served, serve, stop } from './server.js'
import { storeAt } from './stores.js'

const { early, late } = PROJECT_IDS
const ADA = 'ada@example.org'
const BOB = 'bob@example.org'
const SQL = 'SELECT entity_key FROM entities ORDER BY 1'
const scratch = scratchFolder()
const { signal } = new AbortController()

describe('a server from which something is removed', () => {
  let folder: string
  let server: Served
  let keys: Record<'ada' | 'bob', string>

  before(async () => {
    folder = scratch.path
    await addProjects(folder)
    keys = { ada: await addUser(ADA, 'north', 'south'), bob: await addUser(BOB, 'north') }
    server = await serve(folder)
  })
  after(() => server.child.kill('SIGKILL'))

  async function addUser(email: string, ...organizations: string[]): Promise<string> {
    const flags = organizations.flatMap(each => ['--organization', each])
    await output(folder, 'user', 'add', email, ...flags)
    return output(folder, 'key', 'create', '--user', email, ...flags, '--name', email)
  }
  const query = async (who: keyof typeof keys, projectId: string, more = {}) => {
    const answer = await call(server.url, keys[who], 'query', { projectId, sql: SQL, ...more })
    return answer.class ?? answer.items.length
  }
  const download = async (who: keyof typeof keys, link: string) =>
    (await fetch(link, { headers: { authorization: `Bearer ${keys[who]}` } })).status
  const files = async (of: string) => readdir(join(folder, 'foldgate-data', of)).catch(() => [] as string[])
  const snapshots = () => directorySnapshots(join(folder, 'foldgate-data', 'snapshots'))
  const snapshotsOf = (projectId: string) => snapshots().list(projectId, signal)

  /** Opens a WebSocket; the function that it returns makes a call and returns the class of its failure, or OK. */
  async function socketOf(who: keyof typeof keys): Promise<() => Promise<string>> {
    const headers = { authorization: `Bearer ${keys[who]}` }
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/public/v1/ws`, { headers })
    await once(socket, 'open')
    return async () => {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/list' }))
      const [answer] = await once(socket, 'message')
      return JSON.parse(String(answer)).error?.data?.class ?? 'OK'
    }
  }

  it('says what would go, and removes nothing, without --yes and a terminal', async () => {
    for (const [args, goes] of [
      [
        ['project', 'remove', late],
        /^error: The project \S+ \("The late one", of north\) will be removed with 1 assessment and 1 /,
      ],
      [
        ['organization', 'remove', 'south'],
        /^error: The organization south \("The South"\) will be removed with 1 project, 1 asse/,
      ],
      [['user', 'remove', BOB], /^error: The user bob@example\.org will be removed with 1 key: add --yes/],
    ] as const) {
      const { status, stdout, stderr } = await ask(folder, args)
      assert.deepEqual([status, stdout], [1, ''])
      assert.match(stderr, goes)
      assert.match(stderr, /^[^\n]*: add --yes to confirm, since there is no terminal to ask on\n$/)
    }
    assert.deepEqual([await query('ada', late), await query('bob', late)], [2, 2])
  })

  it('soon refuses the keys of a suspended user, on open sockets too, until the user is resumed', async () => {
    const [ada, bob] = [await socketOf('ada'), await socketOf('bob')]
    assert.deepEqual([await ada(), await bob()], ['OK', 'OK'])
    assert.equal(await output(folder, 'user', 'suspend', BOB), `${BOB} is suspended`)
    await until(async () => (await query('bob', late)) === 'UNAUTHENTICATED', 'the key is refused')
    assert.equal(await bob(), 'UNAUTHENTICATED')
    assert.deepEqual([await query('ada', late), await ada()], [2, 'OK'])
    const [, suspended] = await outputJson<{ suspendedAt: string | null }[]>(folder, 'user', 'list')
    assert.notEqual(suspended?.suspendedAt, null)
    assert.equal(await output(folder, 'user', 'resume', BOB), `${BOB} is no longer suspended`)
    await until(async () => (await query('bob', late)) === 2, 'the key is accepted')
    assert.equal(await bob(), 'OK')
  })

  it('answers nothing of a removed project: no page, no cursor, no file; the others are as before', async () => {
    const { next: cursor = '' } = await call(server.url, keys.ada, 'query', {
      projectId: late,
      sql: SQL,
      page: { limit: 1 },
    })
    assert.notEqual(cursor, '')
    const links = [late, early].map(async projectId => {
      const { link = '' } = await call(server.url, keys.ada, 'export', { projectId, sql: SQL })
      return link
    })
    const [gone = '', stays = ''] = await Promise.all(links)
    assert.deepEqual([await download('ada', gone), await download('ada', stays)], [200, 200])
    assert.equal((await files('exports')).length, 2)
    const said = await output(folder, 'project', 'remove', late, '--yes')
    assert.equal(
      said,
      `The project ${late} ("The late one", of north) is removed with 1 assessment, 1 snapshot and 1 export` +
        '; the files of snapshots are deleted a day later',
    )
    assert.deepEqual([await query('ada', late), await query('bob', late)], ['FORBIDDEN', 'FORBIDDEN'])
    assert.equal(await query('ada', late, { page: { cursor, limit: 1 } }), 'FORBIDDEN')
    assert.deepEqual([await download('ada', gone), await download('ada', stays)], [404, 200])
    assert.equal((await files('exports')).length, 1)
    assert.deepEqual([await snapshotsOf(late), (await snapshotsOf(early)).length], [[], 1])
    assert.equal(await query('ada', early), 2)
    assert.doesNotMatch(server.log(), /is missing/)
    assert.match((await ask(folder, ['project', 'remove', late, '--yes'])).stderr, /no project/)
  })

  it('removes the snapshots that a killed command has left, and lets no new project have them', async () => {
    const id = '0c000000-0000-4000-8000-000000000001'
    const named = ['--name', 'New', '--id']
    const add = (owner: string, project: string) => ['project', 'add', '--organization', owner, ...named, project]
    const store = await openStore(await storeAt(join(folder, 'foldgate-data', 'control.db')))
    try {
      const [before] = await snapshotsOf(early)
      await output(folder, 'project', 'remove', early, '--yes')
      await output(folder, ...add('south', early))
      await writeTables(join(folder, 'again'))
      await output(folder, 'seal', early, 'again')
      assert.equal(await query('ada', early), 2)
      assert.equal(await query('ada', early, { snapshot: before }), 'INVALID_PARAMS')
      // As after a kill between the transaction and the files.
      await store.db.insertInto('removed_projects').values({ project_id: id, removed_at: 1 }).execute()
      assert.match((await ask(folder, add('north', id))).stderr, /some of its files are still there/)
      assert.match(await output(folder, 'project', 'remove', id), /^What was left of the files of the project \S+ is/)
      await output(folder, ...add('north', id))
      await store.db.insertInto('removed_projects').values({ project_id: late, removed_at: 1 }).execute()
      await stop(server.child)
      const sealedAt = new Date().toISOString()
      await snapshots().publish(folder, { formatVersion: FORMAT_VERSION, projectId: late, sealedAt, tables: [] })
      server = await serve(folder)
      const left = async () => (await store.db.selectFrom('removed_projects').selectAll().execute()).length
      await until(async () => (await left()) === 0, 'a server has removed what was left')
      assert.deepEqual(await snapshotsOf(late), [])
      assert.equal(await query('ada', early), 2)
    } finally {
      await store.close()
    }
  })

  it('removes a user and an organization with what is theirs alone', async () => {
    const { link = '' } = await call(server.url, keys.ada, 'export', { projectId: early, sql: SQL })
    const socket = await socketOf('ada')
    const eve = await addUser('eve@example.org', 'south')
    assert.match(
      await output(folder, 'user', 'remove', ADA, '--yes'),
      /^The user ada@example\.org \(\S+\) is removed with 1 key and \d exports?$/,
    )
    assert.deepEqual([await query('ada', early), await socket()], ['UNAUTHENTICATED', 'UNAUTHENTICATED'])
    assert.equal(await download('ada', link), 401)
    assert.deepEqual(await files('exports'), [])
    assert.equal((await call(server.url, eve, 'list')).items.length, 1)
    const said = await outputJson<Record<string, unknown>>(folder, 'organization', 'remove', 'south', '--yes')
    assert.deepEqual([said.projects, said.keys, said.usersWithoutAny], [[early], 1, 1])
    assert.equal((await call(server.url, eve, 'list')).class, 'UNAUTHENTICATED')
    assert.equal((await call(server.url, keys.bob, 'list')).status, 200)
    assert.deepEqual(await snapshotsOf(early), [])
    await until(async () => (await output(folder, 'usage')).includes(' removed '), 'the usage of Ada is written')
  })
})

describe('the question before a removal', () => {
  async function answer(line: string | null): Promise<[outcome: string, asked: string]> {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    const terminal = new PassThrough()
    input.end(line ?? undefined)
    const outcome = await confirmRemoval('It goes', false, { input, output: terminal }).then(
      () => 'yes',
      ({ message }) => message,
    )
    terminal.end()
    return [outcome, await text(terminal)]
  }

  it('is asked on a terminal, and only yes is yes', async () => {
    for (const line of ['y\n', ' YES \n'])
      assert.deepEqual(await answer(line), ['yes', 'It goes.\nRemove it for good? [y/N] '])
    for (const line of ['n\n', '\n', 'yellow\n', null]) assert.equal((await answer(line))[0], 'Nothing was removed')
  })
})
