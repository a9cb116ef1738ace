import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { openStore } from '#server/database/store.js'
import { openLog } from '#server/operation/log.js'
import { startServer } from '#server/serving/start.js'
import { readConfig } from '#server/settings/config.js'
import { until } from '../until.js'
import { ask, type Ended, output, outputJson, run, scratchFolder, storeOf } from './command.js'
import { gauge, metricsOf } from './metrics.js'
import { addProjects, PROJECT_IDS, writeTables } from './package.js'
import { call, freePort, type Served, serve, stop } from './server.js'

const { early, running } = PROJECT_IDS
const scratch = scratchFolder()

interface Listed {
  id: string
  state: string
}

describe('serve', () => {
  let folder: string
  let server: Served
  let key: string

  before(async () => {
    folder = scratch.path
    await addProjects(folder)
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'north', '--organization', 'south')
    key = await makeKey()
    server = await serve(folder, '--metrics-port', '0')
  })

  after(() => server.child.kill('SIGKILL'))

  function makeKey(): Promise<string> {
    const organizations = ['--organization', 'north', '--organization', 'south']
    return output(folder, 'key', 'create', '--user', 'ada@example.org', ...organizations)
  }

  it('answers calls on imported projects', async () => {
    const { items } = await call(server.url, key, 'list')
    assert.deepEqual(
      items.map(item => `${item.name}: ${item.state}`),
      ['The early one: computed', 'The idle one: notComputed', 'The late one: computed', 'The running one: computing'],
    )
    const sql = 'SELECT entity_key, ownership_share FROM entities ORDER BY 1'
    assert.deepEqual((await call(server.url, key, 'query', { projectId: early, sql })).items, [
      { entity_key: 'group', ownership_share: 1 },
      { entity_key: 'plant', ownership_share: 0.5 },
    ])
    assert.equal((await call(server.url, key, 'query', { projectId: running, sql })).class, 'NOT_READY')
    assert.equal((await call(server.url, 'fg_nothing', 'list')).status, 401)
  })

  it('shows a login without scripts at /, and its liveness at /live', async () => {
    const page = await fetch(server.url)
    assert.equal(page.status, 200)
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'self'; /)
    const html = await page.text()
    assert.ok(html.includes('action="/login"') && html.includes('/public/v1/description.json'))
    assert.doesNotMatch(html, /<script/)
    assert.deepEqual(await (await fetch(`${server.url}/live`)).json(), { status: 'live' })
    assert.equal((await fetch(`${server.url}/nothing`)).status, 404)
    assert.equal((await fetch(server.url, { method: 'POST' })).status, 405)
  })

  it('applies changes of keys and memberships soon', async () => {
    const another = await makeKey()
    const become = (count: number) =>
      until(
        async () => (await call(server.url, another, 'list')).items.length === count,
        `${count} projects are listed`,
      )
    await become(4)
    await output(folder, 'user', 'revoke', 'ada@example.org', '--organization', 'north')
    await become(1)
    await output(folder, 'user', 'grant', 'ada@example.org', '--organization', 'north')
    const [listed] = (await outputJson<{ id: string }[]>(folder, 'key', 'list')).slice(-1)
    await output(folder, 'key', 'revoke', listed?.id ?? '')
    await become(0)
  })

  it('reads a snapshot as soon as it is sealed in a running assessment', async () => {
    const tables = join(folder, 'tables')
    await writeTables(tables)
    const assessment = await output(folder, 'assessment', 'start', early)
    const count = async () => {
      const sql = 'SELECT count(*) AS sites FROM sites'
      return (await call(server.url, key, 'query', { projectId: early, sql })).items[0]?.sites
    }
    assert.equal(await count(), 1)
    await writeFile(join(tables, 'NOTICE\x1b[2J.txt'), 'Made up.\n')
    const sites =
      'site_key,entity_key,name,iso3,latitude,longitude,biome_num,ecoregion_id,biome_method,source_id,source_ref'
    await writeFile(join(tables, 'sites.csv'), `${sites}\none,plant,,,,,,,,,\ntwo,plant,,,,,,,,,\n`)
    const sealed = await ask(folder, ['snapshot', 'seal', assessment, tables])
    assert.deepEqual([sealed.status, sealed.stderr], [0, 'Not a table, left out: "NOTICE\\u001b[2J.txt"\n'])
    assert.equal(await count(), 2)
    const snapshots = await outputJson<(Listed & { name: string })[]>(folder, 'snapshot', 'list', early)
    assert.equal(snapshots[0]?.id, sealed.stdout.trim())
    assert.match(snapshots[0]?.name ?? '', /^The early one, /)
    assert.equal(snapshots.length, 2)
    const removed = await outputJson<{ removed: string[] }>(folder, 'snapshot', 'prune', early)
    assert.deepEqual(removed.removed, [snapshots[1]?.id])
    await output(folder, 'assessment', 'complete', assessment)
  })

  it('seals nothing if tables are wrong, and the command reports every mistake', async () => {
    const tables = join(folder, 'wrong')
    await writeTables(tables)
    await writeFile(join(tables, 'sites.csv'), 'site_key\n')
    const [assessment] = await outputJson<Listed[]>(folder, 'assessment', 'list', running)
    const seal = (source: string): Promise<Ended> => ask(folder, ['snapshot', 'seal', assessment?.id ?? '', source])
    const wrong = await seal(tables)
    assert.equal(wrong.status, 1)
    assert.match(
      wrong.stderr,
      /cannot be sealed, and nothing was sealed:\n(.*\n)* {2}sites, column entity_key: the column is missing\n/,
    )
    assert.match((await seal('nowhere')).stderr, /^error: The folder "nowhere" is not there/)
    assert.deepEqual(await outputJson(folder, 'snapshot', 'list', running), [])
    // As a script does that goes on after a failure.
    const unread = await ask(folder, ['assessment', 'complete', assessment?.id ?? ''])
    assert.match(unread.stderr, /^error: The assessment .* has sealed no snapshot/)
    const [completed] = await outputJson<Listed[]>(folder, 'assessment', 'list', early)
    const late = await ask(folder, ['snapshot', 'seal', completed?.id ?? '', tables])
    assert.equal(late.status, 1)
    assert.match(late.stderr, /has completed: start a new one with "foldgate assessment start"/)
  })

  it('does not start on a data folder or port of another server', async () => {
    const second = await run(folder, ['serve', '--port', '0'])
    assert.equal(second.status, 1)
    assert.match(second.stderr, /^error: The process \d+ runs "foldgate serve" on the data folder .*: stop it first/)
    const port = new URL(server.url).port
    const third = await run(folder, ['serve', '--port', port, '--data', 'third'])
    assert.equal(third.status, 1)
    assert.match(
      third.stderr,
      /^error: Port \d+ of 127\.0\.0\.1 is in use: stop what listens there, or choose another with --port .*\n$/,
    )
  })

  it('finishes a call in flight on SIGTERM and ends with status 0', async () => {
    const sql = 'SELECT sum(a.i * b.i) AS total FROM range(12000) a(i), range(12000) b(i)'
    const answer = call(server.url, key, 'query', { projectId: early, sql })
    await until(async () => gauge(await metricsOf(server), 'connections_busy') === 1, 'a call in flight')
    const status = stop(server.child)
    assert.equal((await answer).status, 200)
    assert.equal(await status, 0)
  })

  it('removes superseded snapshots beyond the limit keepSnapshots', async () => {
    const assessment = await output(folder, 'assessment', 'start', early)
    await output(folder, 'snapshot', 'seal', assessment, 'tables')
    assert.equal((await outputJson<Listed[]>(folder, 'snapshot', 'list', early)).length, 2)
    server = await serve(folder, { keepSnapshots: 1 })
    const kept = async () => (await outputJson<Listed[]>(folder, 'snapshot', 'list', early)).length
    await until(async () => (await kept()) === 1, 'the newest snapshot alone')
  })

  it('starts again after it was killed, and ends on SIGINT with status 0', async () => {
    await stop(server.child, 'SIGKILL')
    server = await serve(folder, { keepSnapshots: 1 })
    assert.equal((await call(server.url, key, 'list')).items.length, 4)
    assert.equal(await stop(server.child, 'SIGINT'), 0)
  })

  it('frees its data folder and port when it is closed or cannot start', async () => {
    const data = join(folder, 'closing')
    const port = await freePort()
    const blocker = createServer().listen(port, '127.0.0.1')
    await once(blocker, 'listening')
    const store = await storeOf(folder, ['--data', data])
    const config = readConfig({ data, port: String(port) }, store, { connections: 1 })
    const log = openLog('warn')
    await assert.rejects(startServer(config, log), /is in use/)
    blocker.close()
    for (let time = 1; time <= 2; time++) {
      const server = await startServer(config, log)
      assert.equal(server.url, `http://127.0.0.1:${port}`)
      await Promise.all([server.close(), server.close()])
    }
  })

  it('starts, and ends with status 0, while its audit cannot be written', async () => {
    const place = ['--data', join(folder, 'mute')]
    await output(folder, 'organization', 'add', 'north', '--name', 'North', ...place)
    const { FOLDGATE_STORE } = await storeOf(folder, place)
    const store = await openStore(FOLDGATE_STORE ?? join(folder, 'mute', 'control.db'))
    await store.db.schema.alterTable('audit').renameTo('away').execute()
    const mute = await serve(folder, ...place)
    try {
      const page = await fetch(mute.url)
      const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
      const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
      const body = new URLSearchParams({ token, email: 'ada@example.org', password: 'wrong' })
      const headers = { cookie, origin: mute.url }
      assert.equal((await fetch(`${mute.url}/login`, { method: 'POST', headers, body })).status, 403)
      assert.equal(await stop(mute.child), 0)
    } finally {
      mute.child.kill('SIGKILL')
    }
    assert.match(mute.log(), /recording the start failed: /)
    assert.match(mute.log(), /recording failed logins failed: /)
    await store.close()
  })
})
