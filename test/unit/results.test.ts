import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Engine } from '#lib/engine/engine.js'
import { resolveLimits } from '#lib/options.js'
import { type PageRequest, Results } from '#lib/results/results.js'
import { workOfNobody } from '#lib/work.js'

const MAX_STORED = 1_000
const ROW = '{"n":1}'

/** An engine whose every result has three rows alike. */
const engine: Pick<Engine, 'rows' | 'write'> = {
  rows: async () => ({ json: Buffer.from(ROW), rows: 1, more: true }),
  async write(_point, _statement, _range, into) {
    await writeFile(into, `${ROW}\n`)
    const index = { stride: 1, starts: Float64Array.from([0, ROW.length + 1]) }
    return { path: into, rows: 1, bytes: ROW.length + 1, more: false, index }
  },
}

describe('stored results, however small', () => {
  it('are a thousand at most, since each keeps a file open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const results = new Results(engine as Engine, { folder, limits: resolveLimits(), maxBytes: 2 ** 40 })
    const page = (key: string, offset: number) =>
      results.page({ key, offset, limit: 1 } as unknown as PageRequest, workOfNobody())
    try {
      for (let key = 0; key < MAX_STORED + 20; key++) {
        await page(String(key), 1)
        await page(String(key), 2) // cut from what was written behind the page before
      }
      assert.equal((await readdir(folder)).length, MAX_STORED)
    } finally {
      await results.close()
      await rm(folder, { recursive: true })
    }
  })
})
