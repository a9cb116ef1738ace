import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveLimits } from '#lib/call/limits.js'
import type { Engine } from '#lib/engine/port.js'
import { type PageRequest, Results } from '#lib/engine/results.js'
import { workOfNobody } from '#lib/flow/work.js'

const MAX_STORED = 1_000
const ROW = '{"n":1}'

describe('stored results, however small', () => {
  it('are at most 1,000, since each keeps a file open', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    let files = 0
    /** An engine that gives the same rows for every result. */
    const engine: Pick<Engine, 'rows' | 'write'> = {
      rows: async () => ({ json: Buffer.from(ROW), rows: 1, more: true }),
      async write() {
        const path = join(folder, String(files++))
        await writeFile(path, `${ROW}\n`)
        return { path, rows: 1, bytes: ROW.length + 1, more: false }
      },
    }
    const results = new Results(engine as Engine, resolveLimits(), 2 ** 40)
    const page = (key: string, offset: number) =>
      results.page({ key, first: 1, offset, limit: 1 } as unknown as PageRequest, workOfNobody())
    try {
      for (let key = 0; key < MAX_STORED + 20; key++) {
        await page(String(key), 0)
        await page(String(key), 1) // writes a chunk
      }
      assert.equal(files, MAX_STORED + 20)
      assert.equal((await readdir(folder)).length, MAX_STORED)
    } finally {
      await results.close()
      await rm(folder, { recursive: true })
    }
  })
})
