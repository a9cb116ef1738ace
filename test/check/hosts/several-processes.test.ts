import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { WebSocket } from 'ws'
import { sealTables } from '../../../examples/seal.js'
import { scratchFolder } from '../../server/command.js'
import { freePort } from '../../server/server.js'

const PROJECT = 'd2b0ab4e-0f43-4c47-9a3a-3d6e0a1c5b10'
const HOST = fileURLToPath(new URL('cluster.ts', import.meta.url))
const authorization = 'Bearer a-key'

interface Result {
  items?: unknown[]
  nextCursor?: string
  url?: string
}

interface Said {
  place: string
  status: number
  class: string | undefined
  items: unknown[] | undefined
  next: string | undefined
  link: string | undefined
}

/** Resolves when both processes answer. */
function answering({ stdout }: ChildProcess): Promise<void> {
  let printed = ''
  return new Promise(resolve => {
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('0 answers') && printed.includes('1 answers')) resolve()
    })
  })
}

describe('a host of several processes on one port', () => {
  const scratch = scratchFolder()
  let port: number
  let host: ChildProcess

  before(async function () {
    this.timeout(120_000)
    const tables = join(scratch.path, 'tables')
    await mkdir(tables)
    await writeFile(join(tables, 'cars.csv'), 'car_id,city\n1,Lima\n2,Nairobi\n')
    await writeFile(join(tables, 'trips.csv'), 'trip_id,car_id,km\n1,1,12\n2,1,4\n3,2,31\n')
    await sealTables(scratch.path, PROJECT, tables)
    port = await freePort()
    const env = { ...process.env, FOLDER: scratch.path, PORT: String(port) }
    host = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), HOST], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(host, 'exit').then(([status]) => assert.fail(`the host ended with ${status}`))
    ended.catch(() => {}) // the tests end it
    await Promise.race([answering(host), ended])
  })

  after(async () => {
    host.kill()
    if (host.exitCode === null && host.signalCode === null) await once(host, 'exit')
  })

  async function call(method: string, params: object): Promise<Said> {
    const response = await fetch(`http://127.0.0.1:${port}/public/v1/api/projects/${method}`, {
      method: 'POST',
      headers: { authorization, connection: 'close' }, // each call may go to another process
      body: JSON.stringify({ projectId: PROJECT, ...params }),
    })
    const { result, class: failure } = (await response.json()) as { result?: Result; class?: string }
    return {
      place: response.headers.get('x-place') ?? '',
      status: response.status,
      class: failure,
      items: result?.items,
      next: result?.nextCursor,
      link: result?.url,
    }
  }

  /** Repeats a call until this process has answered it. */
  async function callAt(place: string, method: string, params: object): Promise<Said> {
    for (let attempt = 0; attempt < 10; attempt++) {
      const said = await call(method, params)
      if (said.place === place) return said
    }
    return assert.fail(`the process ${place} has answered none of ten calls`)
  }
  const page = (sql: string, cursor?: string) => ({ sql, page: { limit: 1, ...(cursor ? { cursor } : {}) } })

  it('goes on with a cursor of another process, unless rows differ from run to run', async () => {
    const sql = 'SELECT trip_id FROM trips ORDER BY trip_id'
    const { next = '' } = await callAt('0', 'query', page(sql))
    assert.deepEqual((await callAt('1', 'query', page(sql, next))).items, [{ trip_id: 2 }])

    const random = 'SELECT trip_id, random() AS dice FROM trips ORDER BY trip_id'
    const run = await callAt('0', 'query', page(random))
    assert.equal((await callAt('1', 'query', page(random, run.next))).class, 'INVALID_PARAMS')
    assert.equal((await callAt('0', 'query', page(random, run.next))).status, 200)
  })

  it('serves a link of one process from another', async () => {
    const { link = '' } = await callAt('0', 'export', { sql: 'SELECT 1 AS one', format: 'csv' })
    for (let attempt = 0; attempt < 10; attempt++) {
      const at = link.replace(/^http:\/\/localhost:\d+/, `http://127.0.0.1:${port}`)
      const response = await fetch(at, { headers: { authorization, connection: 'close' } })
      assert.equal(response.status, 200)
      assert.equal((await response.text()).trim(), 'one\n1')
      if (response.headers.get('x-place') === '1') return
    }
    assert.fail('the process 1 has answered none of ten downloads')
  })

  it('answers the calls of a WebSocket from the process that has accepted it', async () => {
    const places = new Set<string>()
    for (let attempt = 0; attempt < 10 && places.size < 2; attempt++) {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/public/v1/ws`, { headers: { authorization } })
      const [{ headers }] = await once(socket, 'upgrade')
      places.add(headers['x-place'])
      if (socket.readyState !== WebSocket.OPEN) await once(socket, 'open')
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'projects/list', params: {} }))
      const [answer] = await once(socket, 'message')
      assert.equal(JSON.parse(String(answer)).result.items[0].projectId, PROJECT)
      socket.close()
    }
    assert.equal(places.size, 2)
  })

  it('allows the quota of each process in memory', async () => {
    const allowed = { '0': 0, '1': 0 }
    const refused = new Set<string>()
    for (let count = 0; refused.size < 2 && count < 200; count++) {
      const { place, status } = await call('list', {})
      if (status === 429) refused.add(place)
      else allowed[place as '0' | '1'] += 1
    }
    assert.equal(refused.size, 2)
    assert.ok(allowed['0'] + allowed['1'] > 40, `only ${JSON.stringify(allowed)}`)
  })
})
