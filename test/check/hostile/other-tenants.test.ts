import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { output, scratchFolder } from '../../server/command.js'
import { type Served, serve, stop } from '../../server/server.js'

const ROUNDS = 300
const FOREIGN = '7f96d6a1-52d5-4a3e-9d9b-1c2d3e4f5a6b'
const METHODS = ['describe', 'query', 'export'] as const
const scratch = scratchFolder()

describe('projects of other tenants', () => {
  let url: string
  let key: string
  let server: Served
  before(async () => {
    const folder = scratch.path
    for (const name of ['north', 'south']) {
      await output(folder, 'organization', 'add', name, '--name', name)
      await output(folder, 'user', 'add', `${name}@example.org`, '--organization', name)
    }
    await output(folder, 'project', 'add', '--organization', 'south', '--name', 'Secret of the south', '--id', FOREIGN)
    key = await output(folder, 'key', 'create', '--user', 'north@example.org', '--organization', 'north')
    server = await serve(folder, { quota: '1000000/60s' })
    url = server.url
  })
  after(() => void server.child.kill('SIGKILL'))

  async function ask(method: string, projectId: string): Promise<{ status: number; headers: string[]; body: string }> {
    const response = await fetch(`${url}/public/v1/api/projects/${method}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ projectId, sql: 'SELECT 1' }),
    })
    const headers = [...response.headers.keys()]
    return { status: response.status, headers, body: await response.text() }
  }

  for (const method of METHODS) {
    it(`get the same answer from ${method} whether they exist or not`, async () => {
      const foreign = await ask(method, FOREIGN)
      assert.equal(foreign.status, 403)
      assert.deepEqual(foreign, await ask(method, randomUUID()))
    })
  }

  it('are refused in the same time, whether they exist or not', async () => {
    const times = { foreign: [] as number[], unknown: [] as number[] }
    for (let round = 0; round < ROUNDS; round++) {
      for (const kind of ['foreign', 'unknown'] as const) {
        const startedAt = performance.now()
        await ask('query', kind === 'foreign' ? FOREIGN : randomUUID())
        times[kind].push(performance.now() - startedAt)
      }
    }
    const middle = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] as number
    const [foreign, unknown] = [middle(times.foreign), middle(times.unknown)]
    assert.ok(Math.abs(foreign - unknown) < 0.5 * unknown, `${foreign} ms and ${unknown} ms`)
  })

  it('do not appear in logs, and neither do keys', async () => {
    await ask('query', FOREIGN)
    await fetch(`${url}/public/v1/api/projects/list?key=${key}`, {
      method: 'POST',
      headers: { authorization: 'Bearer wrong' },
    })
    await stop(server.child)
    const lines = server.log()
    assert.match(lines, /"outcome":"UNAUTHENTICATED"/)
    for (const secret of [key, 'Secret of the south', 'wrong']) assert.ok(!lines.includes(secret), lines)
  })
})
