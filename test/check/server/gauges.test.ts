import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { output, scratchFolder } from '../../server/command.js'
import { gauge, metricsOf } from '../../server/metrics.js'
import { writePackage } from '../../server/package.js'
import { type Served, serve } from '../../server/server.js'
import { until } from '../../until.js'

const scratch = scratchFolder()

describe('the metrics of a server', () => {
  let server: Served
  let key: string

  before(async () => {
    const folder = scratch.path
    await writePackage(join(folder, 'package'))
    await output(folder, 'import', 'package')
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'south')
    key = await output(folder, 'key', 'create', '--user', 'ada@example.org', '--organization', 'south')
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
    const age = gauge(found, 'newest_snapshot_age_seconds')
    assert.ok(age >= 0 && age < 600, `${age}`)
    assert.equal(gauge(found, 'exports_bytes'), 0)
    const { version } = JSON.parse(await readFile(new URL('../../../server/package.json', import.meta.url), 'utf8'))
    assert.equal(gauge(found, `build_info{version="${version}"}`), 1)
    socket.terminate()
    await until(async () => gauge(await metricsOf(server), 'sockets') === 0, 'the end of the socket')
  })
})
