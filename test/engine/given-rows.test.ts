import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { duckdbEngine } from 'foldgate'
import type { ExportFormat } from 'foldgate/client'
import { resolveLimits } from '#lib/call/limits.js'
import type { DuckdbEngine } from '#lib/duckdb/engine.js'
import type { GivenRows, GivenType } from '#lib/duckdb/given-rows.js'
import { workOfNobody } from '#lib/flow/work.js'
import { catalogue } from '../service/catalogue.js'

const POINT = {
  snapshot: { projectId: 'p', snapshotId: 's', manifest: { sealedAt: '2026-11-20T00:00:00Z', rootId: 'r' } },
  organization: 'north',
  entityId: null,
  ownershipView: 'net',
} as never

describe('rows that another engine has produced', () => {
  let folder: string
  let engine: DuckdbEngine
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-test-'))
    const limits = resolveLimits()
    engine = duckdbEngine({ folder: join(folder, 'engine'), connections: 1 })({ catalogue, limits, onEvent() {} })
  })
  after(async () => {
    await engine.close()
    await rm(folder, { recursive: true })
  })

  async function exported(given: Omit<GivenRows, 'path'>, lines: object[], format: ExportFormat): Promise<string> {
    const rows = await mkdtemp(join(folder, 'rows-'))
    const path = join(rows, 'rows.ndjson')
    await writeFile(path, lines.map(line => `${JSON.stringify(line)}\n`).join(''))
    const statement = { sql: 'SELECT given', relations: ['of another engine'], volatile: false }
    const work = { ...workOfNobody(), timeoutMs: 10_000 }
    const form = { format, escapesFormulas: false }
    const file = await engine.exportRows({ path, ...given }, POINT, statement, work, form)
    const text = await readFile(file.path, 'latin1')
    await rm(file.path)
    return text
  }

  it('are exported with their names, order and types', async () => {
    const types: Record<string, [type: GivenType, json: unknown, written: unknown]> = {
      'a "name"': ['BIGINT', 7, 7],
      exact: [{ decimal: [20, 2] }, '12.50', 12.5],
      bytes: ['BLOB', 'AAE=', 'AAE='],
      document: ['JSON', '{"a":[1]}', { a: [1] }],
      many: [
        { list: { struct: [{ name: 'x y', type: 'BLOB' }] } },
        [{ 'x y': 'AAE=' }, null],
        [{ 'x y': 'AAE=' }, null],
      ],
      by: [{ map: 'JSON' }, { k: '{"b":1}' }, { k: { b: 1 } }],
      none: [{ map: 'BLOB' }, null, null],
    }
    const columns = Object.entries(types).map(([name, [type]]) => ({ name, type }))
    const row = Object.fromEntries(Object.values(types).map(([, json], at) => [`c${at}`, json]))
    const written = Object.fromEntries(Object.entries(types).map(([name, [, , value]]) => [name, value]))
    const [line = ''] = (await exported({ columns }, [row, row], 'ndjson')).split('\n')
    assert.deepEqual(Object.entries(JSON.parse(line)), Object.entries(written))
    const parquet = await exported({ columns }, [row], 'parquet')
    assert.ok(parquet.startsWith('PAR1') && parquet.includes('SELECT given'))
  })

  it('may have lines that are longer than DuckDB expects, if they say so', async () => {
    const long = 'x'.repeat(17 * 1024 ** 2)
    const given = { columns: [{ name: 'long', type: 'VARCHAR' as const }], lineBytes: 3 * long.length }
    assert.equal((await exported(given, [{ c0: long }], 'csv')).trimEnd(), `long\n${long}`)
  })

  it('pass no SQL: names and types are quoted, and other types refused', async () => {
    await mkdir(join(folder, 'secret'))
    const name = `n", (SELECT content FROM read_text('${join(folder, 'secret')}/*')) AS "m`
    const written = await exported({ columns: [{ name, type: 'INTEGER' }] }, [{ c0: 1 }], 'ndjson')
    assert.deepEqual(Object.keys(JSON.parse(written)), [name])
    const type = "INTEGER'}), (SELECT 1" as never
    await assert.rejects(exported({ columns: [{ name, type }] }, [], 'ndjson'), /rows cannot have the type/)
  })
})
