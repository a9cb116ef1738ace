import assert from 'node:assert/strict'
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Chunk, type Cut } from '#lib/engine/chunk.js'

const LINES = '{"n":1}\n{"n":2}\n{"n":3}\n'
const CUT = { offset: 0, limit: 3, pageBytes: 100, rowBytes: 100 }

async function cutFrom(chunk: Chunk, cut: Cut) {
  const page = await chunk.cut(cut)
  assert.ok(page)
  return page
}

describe('stored rows', () => {
  let folder: string
  let chunk: Chunk
  const path = () => join(folder, 'rows.jsonl')

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    await writeFile(path(), LINES)
    chunk = await Chunk.open(0, { path: path(), rows: 3, bytes: LINES.length, more: false })
  })

  afterEach(async () => {
    await chunk.remove()
    await rm(folder, { recursive: true })
  })

  it('are cut into pages', async () => {
    const { json, rows, more } = await cutFrom(chunk, { ...CUT, offset: 1, limit: 1 })
    assert.deepEqual([Buffer.from(json).toString(), rows, more], ['{"n":2}', 1, true])
  })

  it('are refused, not filled with stale memory, when the file has become shorter', async () => {
    await truncate(path(), 10)
    await assert.rejects(chunk.cut(CUT), /shorter/)
  })
})

describe('many stored rows of different lengths', () => {
  const ROWS = 20_000
  const rowOf = (n: number) => `{"n":${n},"filler":"${'x'.repeat(n % 97 === 0 ? 5_000 : n % 7)}"}`
  let folder: string
  let chunk: Chunk

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const path = join(folder, 'rows.jsonl')
    const lines = Array.from({ length: ROWS }, (_, n) => `${rowOf(n)}\n`).join('')
    await writeFile(path, lines)
    chunk = await Chunk.open(1_000, { path, rows: ROWS, bytes: lines.length, more: true })
  })

  after(async () => {
    await chunk.remove()
    await rm(folder, { recursive: true })
  })

  it('are cut wherever a page begins, in whatever order', async () => {
    const bounds = { pageBytes: 100_000, rowBytes: 10_000 }
    for (const first of [19_990, 0, 10_000, 96, 97, 9_999, 19_999, 5_000, 10_001, 1])
      for (const limit of [1, 10, 300]) {
        if (first + limit > ROWS) continue
        const { json, rows, more } = await cutFrom(chunk, { offset: 1_000 + first, limit, ...bounds })
        const expected = Array.from({ length: limit }, (_, at) => rowOf(first + at))
        assert.deepEqual([Buffer.from(json).toString(), rows, more], [expected.join(','), expected.length, true])
      }
  })

  it('have no page with rows before or after them', async () => {
    const bounds = { pageBytes: 100_000, rowBytes: 10_000 }
    for (const [offset, limit] of [
      [999, 10],
      [20_991, 10],
      [21_000, 1],
      [22_000, 1],
    ] as const)
      assert.equal(await chunk.cut({ offset, limit, ...bounds }), null)
    const ended = await cutFrom(chunk, { offset: 20_991, limit: 10, pageBytes: 20, rowBytes: 10_000 })
    assert.equal(ended.rows, 1) // its bytes end it first
  })

  it('end a page where its bytes or the bytes of a row end', async () => {
    const page = await cutFrom(chunk, { offset: 1_001, limit: 300, pageBytes: 1_000, rowBytes: 10_000 })
    assert.ok(page.json.length < 1_000 + page.rows && page.rows > 20, `${page.rows} rows`)
    const short = await cutFrom(chunk, { offset: 1_001, limit: 300, pageBytes: 100_000, rowBytes: 1_000 })
    assert.equal(short.rows, 96) // the next one is too large
    await assert.rejects(chunk.cut({ offset: 1_097, limit: 3, pageBytes: 100_000, rowBytes: 1_000 }), /Row 1098 is/)
  })
})
