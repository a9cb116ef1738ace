import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromCsv, fromRows, openSealer, SealError, type SealManyRequest, tableFiles } from 'foldgate/sealing'
import { scratchFolder } from '../server/command.js'
import { tablesOf } from '../stored.js'
import { sealOne, textsOf } from './one-table.js'

const MARK = '\ufeff'

describe('a byte order mark', () => {
  const scratch = scratchFolder()

  it('within a table is a character of names and values', async () => {
    const csv = `a,"${MARK}a",${MARK}b\n${MARK}x,x,"${MARK}"\n`
    for (const text of [csv, `${MARK}${csv}`]) {
      const { manifest, rows } = await sealOne(scratch.path, undefined, fromCsv([text]))
      assert.deepEqual(
        manifest?.tables[0]?.columns.map(({ name }) => name),
        ['a', `${MARK}a`, `${MARK}b`],
      )
      assert.deepEqual(rows, [[`${MARK}x`, 'x', MARK]])
    }
    const path = join(scratch.path, 'marks.parquet')
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    await connection.run(`COPY (SELECT 1 AS a, 2 AS "${MARK}a") TO '${path}' (FORMAT parquet)`)
    instance.closeSync()
    const { manifest } = await sealOne(scratch.path, undefined, path)
    assert.deepEqual(
      manifest?.tables[0]?.columns.map(({ name }) => name),
      ['a', `${MARK}a`],
    )
  })

  it('is in what is told of a value', async () => {
    const { problems } = await sealOne(scratch.path, { a: 'INTEGER' }, fromRows([{ a: `${MARK}1` }]))
    assert.equal(problems[0]?.message, `row 1: "${MARK}1" is not an INTEGER`)
  })
})

describe('keys of tenants', () => {
  const scratch = scratchFolder()
  const catalogue = defineCatalogue({
    relations: [defineTable({ name: 't', columns: { v: 'INTEGER' } })],
  })
  async function sealMany(rows: Record<string, unknown>[], keys: string[]) {
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
    try {
      const projects: SealManyRequest['projects'] = new Map(keys.map(key => [key, randomUUID()]))
      const outcome = await sealer.sealMany({ tables: { t: fromRows(rows) }, by: 'tenant', projects })
      const held = new Map<string, (string | null)[]>()
      for (const { key, projectId } of outcome.sealed) {
        const place = tablesOf(join(scratch.path, 'snapshots'), projectId)
        const [manifest] = await snapshots.manifests(projectId)
        const paths = (manifest?.tables ?? []).flatMap(tableFiles).map(({ file }) => join(place, file))
        held.set(
          key,
          (await textsOf(paths)).map(([value = null]) => value),
        )
      }
      return { ...outcome, held }
    } finally {
      await sealer.close()
    }
  }

  it('are different when their bytes are', async () => {
    const keys = [
      'a',
      `${MARK}a`,
      `a${MARK}`,
      'A',
      'á',
      'a\u0301',
      ' a',
      'a ',
      'a\0',
      'a\0b',
      "a'",
      '',
      '1',
      '01',
      '1.0',
    ]
    const rows = keys.flatMap((tenant, at) => Array.from({ length: at + 1 }, () => ({ tenant, v: at })))
    const { sealed, failed, empty, strays, held } = await sealMany(rows.toReversed(), [...keys, '\ud800'])
    assert.deepEqual([failed, strays], [[], []])
    assert.deepEqual(
      empty.map(({ key }) => key),
      ['\ud800'],
    )
    assert.deepEqual(new Map(sealed.map(({ key, rows }) => [key, rows])), new Map(keys.map((key, at) => [key, at + 1])))
    assert.deepEqual(held, new Map(keys.map((key, at) => [key, Array(at + 1).fill(`${at}`)])))
  })

  it('with wrong rows fail alone, whatever the key is', async () => {
    const rows = [`${MARK}a`, 'a', `${MARK}`].map(tenant => ({ tenant, v: tenant === `${MARK}a` ? 1.5 : 1 }))
    const strays = await sealMany(rows, ['a', `${MARK}a`]).catch(cause => cause)
    assert.match(String(strays), /row 1, column "v": the value is not a whole number/)
    const texts = rows.map(({ tenant, v }) => ({ tenant, v: `${v}` }))
    const outcome = await sealMany(texts, ['a', `${MARK}a`])
    assert.deepEqual(
      outcome.failed.map(({ key, error }) => [key, error instanceof SealError && error.problems.length]),
      [[`${MARK}a`, 1]],
    )
    assert.deepEqual([...outcome.held], [['a', ['1']]])
    assert.deepEqual(outcome.strays, [{ table: 't', key: MARK, rows: 1, firstRow: 3 }])
  })
})
