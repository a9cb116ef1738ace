import assert from 'node:assert/strict'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Chunk } from '#lib/engine/chunk.js'

const LINES = '{"n":1}\n{"n":2}\n{"n":3}\n'
const CUT = { offset: 0, limit: 3, pageBytes: 100, rowBytes: 100 }

describe('stored rows', () => {
  let folder: string
  let chunk: Chunk
  const path = () => join(folder, 'rows.jsonl')

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await writeFile(path(), LINES)
    const index = { stride: 1, starts: Float64Array.from([0, 8, 16, 24]) }
    chunk = await Chunk.open(0, { path: path(), rows: 3, bytes: LINES.length, more: false, index })
  })

  afterEach(async () => {
    await chunk.remove()
    await rm(folder, { recursive: true })
  })

  it('are cut into pages', async () => {
    const { json, rows, more } = await chunk.cut({ ...CUT, offset: 1, limit: 1 })
    assert.deepEqual([Buffer.from(json).toString(), rows, more], ['{"n":2}', 1, true])
  })

  it('are refused, not filled with stale memory, when the file has become shorter', async () => {
    await truncate(path(), 10)
    await assert.rejects(chunk.cut(CUT), /shorter/)
  })
})
