import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PROJECT, type Service, startService } from '../../service/service.js'

const MIB = 1024 ** 2
/** Short rows first, by which the size of what follows is guessed, then two hundred gigabytes of long ones. */
const GROWING = `SELECT i, CASE WHEN i < 12000 THEN 'x' ELSE repeat(repeat('x', 1000), 20) || i END AS s
  FROM range(10000000) t(i)`

describe('rows that are written ahead and grow', () => {
  let service: Service
  before(async () => {
    service = await startService()
  })
  after(() => service.close())

  const page = async (cursor?: string) => {
    const params = { projectId: PROJECT, sql: GROWING, page: { limit: 500, ...(cursor ? { cursor } : {}) } }
    const { status, body } = await service.call('projects/query', params)
    assert.equal(status, 200, body.message)
    return body.result
  }

  async function bytesOnDisk(): Promise<number> {
    const folder = join(service.folder, 'engine')
    const sizes = (await readdir(folder, { recursive: true })).map(async name => {
      const found = await stat(join(folder, name)).catch(() => null)
      return found?.isFile() ? found.size : 0
    })
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  it('are stopped at the size that is kept, and read all the same', async () => {
    let cursor: string | undefined
    for (let count = 0; count < 13; count++) cursor = (await page(cursor))?.nextCursor
    let most = 0
    for (; service.api.stats().busy > 0; await setImmediate()) most = Math.max(most, await bytesOnDisk())
    assert.ok(most > 400 * MIB, `the stretch ended at ${most} bytes`)
    assert.ok(most < 800 * MIB, `the stretch took ${most} bytes`)
    assert.ok((await bytesOnDisk()) < 100 * MIB)
    const after = await page(cursor)
    assert.equal(after?.items?.[0]?.i, 6_500)
  }).timeout(120_000)
})
