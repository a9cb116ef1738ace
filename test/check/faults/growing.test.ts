import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { PROJECT, type Service, startService } from '../../service/service.js'

const MIB = 1024 ** 2
/** Short rows first, from which the size of the rest is estimated, then 200 GB of long ones. */
const GROWING = `SELECT i, CASE WHEN i < 12000 THEN 'x' ELSE repeat(repeat('x', 1000), 20) || i END AS s
  FROM range(10000000) t(i)`

describe('stored rows that grow', () => {
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

  it('end at the largest size of a chunk, and can be read on', async () => {
    const first = await page()
    let isOver = false
    const second = page(first?.nextCursor).finally(() => {
      isOver = true
    })
    let most = 0
    for (; !isOver; await setImmediate()) most = Math.max(most, await bytesOnDisk())
    assert.ok(most > 100 * MIB, `the chunk ended at ${most} bytes`)
    assert.ok(most < 200 * MIB, `the chunk took ${most} bytes`)
    let cursor = (await second)?.nextCursor
    for (let at = 1_000; at <= 13_000; at += 500) {
      const { items, nextCursor } = (await page(cursor)) ?? {}
      assert.equal(items?.[0]?.i, at)
      if (items?.length !== 500) break // rows of 20 kB fill a page before there are 500
      cursor = nextCursor
    }
  }).timeout(120_000)
})
