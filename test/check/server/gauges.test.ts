import assert from 'node:assert/strict'
import { once } from 'node:events'
import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { serveMetrics } from '#server/serving/metrics.js'
import { output, scratchFolder } from '../../server/command.js'
import { gauge, metricsOf } from '../../server/metrics.js'
import { PROJECT_IDS, writePackage } from '../../server/package.js'
import { type Served, serve } from '../../server/server.js'
import { until } from '../../until.js'

const scratch = scratchFolder()

describe('the ages of the newest snapshots', () => {
  it('are those of the 20 projects that have waited longest', async () => {
    const now = Date.now()
    const projects = Array.from({ length: 30 }, (_, at) => `p${at}`)
    const usage = { exportBytes: 0, snapshotBytes: 0 }
    const newestSnapshots = new Map(projects.map((project, at) => [project, now - at * 60_000]))
    const stats = { connections: 1, ready: 1, busy: 0, waiting: 0, restarts: 0, cacheBytes: 0, resultBytes: 0 }
    const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 })
    metrics.watch({
      stats: () => stats,
      sockets: () => 0,
      missingSnapshots: () => 0,
      projectsOf: async ids => new Set(ids.filter(id => id !== 'p29')),
      longestUnchecked: async limit => new Map([...newestSnapshots].slice(0, limit)),
      disk: () => ({ ...usage, newestSnapshots }),
    })
    const text = await (await fetch(metrics.url)).text()
    await metrics.close()
    const labels = [...text.matchAll(/^foldgate_newest_snapshot_age_seconds\{project="(\w+)"\} /gm)].map(([, id]) => id)
    assert.deepEqual(labels, projects.slice(9, 29).reverse())
  })
})

describe('metrics', () => {
  it('are served without the ages of snapshots when the store fails or hangs', async () => {
    const metrics = await serveMetrics({ host: '127.0.0.1', port: 0 })
    let reads = 0
    metrics.watch({
      stats: () => ({ connections: 1, ready: 1, busy: 0, waiting: 0, restarts: 0, cacheBytes: 0, resultBytes: 0 }),
      sockets: () => 0,
      missingSnapshots: () => 0,
      disk: () => ({ exportBytes: 0, snapshotBytes: 0, newestSnapshots: new Map([['p1', 0]]) }),
      projectsOf: () => Promise.reject(new Error('no store')),
      longestUnchecked() {
        reads++
        return new Promise(() => {})
      },
    })
    const startedAt = performance.now()
    for (const answer of await Promise.all([fetch(metrics.url), fetch(metrics.url)])) {
      assert.equal(answer.status, 200)
      const text = await answer.text()
      assert.match(text, /^foldgate_sockets 0$/m)
      assert.doesNotMatch(text, /_age_seconds\{/)
    }
    const ms = performance.now() - startedAt
    assert.ok(ms > 1990 && ms < 4000, `${ms} ms`)
    assert.equal(reads, 1)
    await metrics.close()
  })
})

describe('the metrics of a server', () => {
  let server: Served
  let key: string

  before(async () => {
    const folder = scratch.path
    await writePackage(join(folder, 'package'))
    await output(folder, 'import', 'package')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'south')
    key = await output(folder, 'key', 'create', '--user', 'ada@example.org', '--organization', 'south')
    const sealed = join(folder, 'foldgate-data', 'snapshots', 'snapshots')
    const removed = PROJECT_IDS.early.replace('0a', '0c')
    await cp(join(sealed, PROJECT_IDS.early), join(sealed, removed), { recursive: true })
    server = await serve(folder, '--metrics-port', '0')
  })
  after(() => void server?.child.kill('SIGKILL'))

  it('count sockets, failed logins and what the shared folders take', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/public/v1/ws`, {
      headers: { Authorization: `Bearer ${key}` },
    })
    await once(socket, 'open')
    const page = await fetch(server.url)
    const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? ''
    const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
    const form = new URLSearchParams({ token, email: 'ada@example.org', password: 'wrong' })
    const login = { method: 'POST', headers: { cookie, origin: server.url }, body: form }
    assert.equal((await fetch(`${server.url}/login`, login)).status, 403)
    const known = async () => (await metricsOf(server)).has('foldgate_snapshots_bytes')
    await until(known, 'a measurement of the folders')
    const found = await metricsOf(server)
    assert.deepEqual([gauge(found, 'sockets'), gauge(found, 'failed_logins_total')], [1, 1])
    assert.ok(gauge(found, 'snapshots_bytes') > 0)
    for (const project of [PROJECT_IDS.early, PROJECT_IDS.late]) {
      const age = gauge(found, `newest_snapshot_age_seconds{project="${project}"}`)
      assert.ok(age >= 0 && age < 600, `${age}`)
    }
    const ages = [...found.keys()].filter(name => name.startsWith('foldgate_newest_snapshot_age_seconds'))
    assert.equal(ages.length, 2, 'a folder without a project has none')
    assert.equal(gauge(found, 'exports_bytes'), 0)
    const { version } = JSON.parse(await readFile(new URL('../../../server/package.json', import.meta.url), 'utf8'))
    assert.equal(gauge(found, `build_info{version="${version}"}`), 1)
    socket.terminate()
    await until(async () => gauge(await metricsOf(server), 'sockets') === 0, 'the end of the socket')
  })
})
