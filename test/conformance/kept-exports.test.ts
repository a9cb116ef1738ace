import assert from 'node:assert/strict'
import { FOREIGN_PROJECT, KEYS, PROJECT, type Service, startService } from '../service/service.js'

const FILE_BYTES = 300_000
const OTHER_KEY = 'key-kim'

describe('exports that are kept', () => {
  let service: Service
  beforeEach(async () => {
    const limits = {
      exportBytes: FILE_BYTES,
      exportBytesPerOwner: 3 * FILE_BYTES,
      exportBytesPerOrganization: 4 * FILE_BYTES,
    }
    service = await startService({ limits })
    service.host.callers.set(OTHER_KEY, { keyId: 'k-kim', ownerId: 'kim', organizations: ['north'] })
    await service.seal(FOREIGN_PROJECT)
  })
  afterEach(() => service.close())

  /** An export of about 250 KB, or a small one. */
  const exported = (key: string, rows = 2_000, projectId = PROJECT) =>
    service.call(
      'projects/export',
      { projectId, sql: `SELECT uuid() AS a, repeat('x', 80) AS b FROM range(${rows})`, format: 'csv' },
      key,
    )
  async function fill(key: string): Promise<number> {
    for (let count = 0; count < 10; count++) {
      const { status } = await exported(key)
      if (status === 503) return count
      assert.equal(status, 200)
    }
    return assert.fail('ten files were stored')
  }

  it('fill the room of their owner, not that of others, until they are removed', async () => {
    assert.equal(await fill(KEYS.north), 3)
    const { status, headers, body } = await exported(KEYS.mate, 1)
    assert.deepEqual([status, body.class], [503, 'UNAVAILABLE'])
    assert.match(
      body.message ?? '',
      /Exports of the owner of the key may take 0\.9 MiB .* removed, at \d{4}-.*Z\. Wait until then, .* ask the operator/,
    )
    const seconds = body.data?.retryAfterSeconds as number
    assert.equal(headers.get('retry-after'), String(seconds))
    assert.ok(seconds > 86_000 && seconds <= 87_300, `${seconds} s`)

    assert.equal((await service.call('projects/query', { projectId: PROJECT, sql: 'SELECT 1 AS n' })).status, 200)
    assert.equal((await exported(OTHER_KEY, 1)).status, 200)
    assert.equal((await exported(KEYS.south, 2_000, FOREIGN_PROJECT)).status, 200)

    const rpc = await fetch(`${service.url}/public/v1/json-rpc`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEYS.north}` },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'projects/export',
        params: { projectId: PROJECT, sql: 'SELECT 1 AS n' },
      }),
    })
    assert.ok(Number(rpc.headers.get('retry-after')) > 86_000)
    service.clock.advance(seconds * 1000)
    assert.equal((await exported(KEYS.north)).status, 200)
  })

  it('fill the room of their organization, not that of another', async () => {
    assert.equal(await fill(KEYS.north), 3)
    assert.equal(await fill(OTHER_KEY), 1)
    assert.match((await exported(OTHER_KEY, 1)).body.message ?? '', /^Exports of the organization "north"/)
    assert.equal((await exported(KEYS.south, 2_000, FOREIGN_PROJECT)).status, 200)
  })

  it('cannot pass the bound at once, and failed ones do not count', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => exported(KEYS.north)))
    const stored = answers.filter(({ status }) => status === 200).length
    assert.ok(stored >= 1 && stored <= 3, `${stored} stored`)
    for (const { status, body } of answers) if (status !== 200) assert.equal(body.class, 'UNAVAILABLE')
    for (let count = 0; count < 5; count++)
      assert.equal((await exported(OTHER_KEY, 20_000)).body.class, 'QUERY_TOO_LARGE')
    assert.equal((await exported(OTHER_KEY)).status, 200)
  })
})
