import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { output, outputJson, scratchFolder } from './command.js'
import { addProjects, PROJECT_IDS } from './package.js'
import { call, serve, stop } from './server.js'

const scratch = scratchFolder()

describe('the usage of a server', () => {
  let folder: string
  let url: string
  let child: ChildProcess
  let key: string
  let keyId: string

  before(async () => {
    folder = scratch.path
    await addProjects(folder)
    await output(folder, 'user', 'add', 'ada@example.org', '--organization', 'south')
    const owner = ['--user', 'ada@example.org', '--organization', 'south']
    const made = await outputJson<{ id: string; key: string }>(folder, 'key', 'create', ...owner, '--name', 'nightly')
    key = made.key
    keyId = made.id
    ;({ url, child } = await serve(folder))
  })

  after(() => child.kill('SIGKILL'))

  async function usage(...flags: string[]): Promise<Record<string, unknown>> {
    const [day, ...more] = await outputJson<Record<string, unknown>[]>(folder, 'usage', '--key', keyId, ...flags)
    assert.ok(day && more.length === 0)
    return day
  }

  const takenOf = (headers: Headers) => 600 - Number(/r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1])

  it('counts calls (also failed ones), rows, bytes and downloads, but not HEAD', async () => {
    const projectId = PROJECT_IDS.early
    const statement = 'SELECT entity_key FROM entities ORDER BY 1'
    assert.equal((await call(url, key, 'list')).items.length, 1)
    assert.equal((await call(url, key, 'describe', { projectId })).status, 200)
    assert.equal((await call(url, key, 'query', { projectId, sql: statement })).items.length, 2)
    assert.equal((await call(url, key, 'query', { projectId, sql: 'DROP TABLE entities' })).class, 'INVALID_QUERY')
    assert.equal((await call(url, key, 'nothing')).class, 'METHOD_NOT_FOUND')
    assert.equal((await call(url, 'fg_nothing', 'list')).status, 401)
    const { link = '' } = await call(url, key, 'export', { projectId, sql: statement })
    const headers = { authorization: `Bearer ${key}` }
    for (const method of ['GET', 'HEAD', 'HEAD', 'GET']) {
      const response = await fetch(link, { method, headers })
      assert.equal(response.status, 200)
      await response.arrayBuffer()
    }
    const last = await call(url, key, 'list')
    assert.equal(takenOf(last.headers), 7)
    assert.equal(await stop(child), 0)
    const { bytes, downloadBytes, day, ...counted } = await usage('--days', '2')
    assert.deepEqual(counted, {
      id: keyId,
      name: 'nightly',
      calls: 7,
      failed: 2,
      methods: {
        'projects/describe': { calls: 1, failed: 0 },
        'projects/export': { calls: 1, failed: 0 },
        'projects/list': { calls: 2, failed: 0 },
        'projects/query': { calls: 2, failed: 1 },
        unknown: { calls: 1, failed: 1 },
      },
      rows: 6,
      downloads: 2,
    })
    assert.ok(Number(downloadBytes) > 200 && Number(bytes) > Number(downloadBytes) / 2)
    assert.equal(day, last.headers.get('date') && new Date(last.headers.get('date') ?? '').toISOString().slice(0, 10))
  })

  it('is printed as a table, and each key with its last use', async () => {
    const [head = '', line = ''] = (await output(folder, 'usage')).split('\n')
    assert.match(head, /^DAY +KEY +NAME +CALLS +FAILED +LIST +DESCRIBE +QUERY +EXPORT +ROWS +BYTES +DOWNLOADS$/)
    assert.match(line, /^\d{4}-\d\d-\d\d +[\da-f-]{36} +nightly +7 +2 +2 +1 +2 +1 +6 +\d+ +2$/)
    const [listed] = await outputJson<{ lastUsedAt: string }[]>(folder, 'key', 'list')
    assert.ok(Date.now() - Date.parse(listed?.lastUsedAt ?? '') < 60_000)
    const [columns = ''] = (await output(folder, 'key', 'list')).split('\n')
    assert.match(columns, /LAST USED +LIMITS$/)
  })
})
