import assert from 'node:assert/strict'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromCsv, fromRows, openSealer, SealError, type Sealer } from 'foldgate/sealing'
import { scratchFolder } from '../server/command.js'

const PROJECT = '7b0f0c52-5c3b-4a64-8a2f-0d5f3e6d0010'
const catalogue = defineCatalogue({
  relations: [
    defineTable({ name: 'counts', columns: { huge: 'HUGEINT', exact: 'DECIMAL(38,0)' } }),
    defineTable({ name: 'waits', columns: { wait: 'INTERVAL' } }),
    defineTable({ name: 'days', columns: { day: 'DATE' }, optional: true }),
    defineTable({ name: 'lists', columns: { huge: 'HUGEINT[]', waits: 'INTERVAL[]' }, optional: true }),
  ],
})

describe('values that would be stored as others', () => {
  const scratch = scratchFolder()
  let sealer: Sealer
  before(async () => {
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
  })
  after(() => sealer?.close())
  const seal = (...rows: Record<string, unknown>[]) =>
    sealer.seal({ projectId: PROJECT, tables: { counts: fromRows(rows), waits: fromRows([]) } })
  const sealWaits = (...waits: string[]) =>
    sealer.seal({
      projectId: PROJECT,
      tables: { counts: fromRows([]), waits: fromRows(waits.map(wait => ({ wait }))) },
    })

  it('are integers, which are sealed as long as no digit is lost', async () => {
    const { manifest } = await seal({ huge: 2n ** 100n, exact: 2n ** 100n + 1n }, { huge: -7n, exact: null })
    assert.equal(manifest.tables[0]?.rows, 2)
  })

  it('are integers, which are refused with the type to declare instead of being rounded', async () => {
    await assert.rejects(seal({ huge: 1n, exact: 1n }, { huge: 2n ** 100n + 1n, exact: 1n }), cause => {
      assert.ok(cause instanceof SealError, String(cause))
      const message =
        'row 2: "1267650600228229401496703205377" has more digits than are stored: declare the column as DECIMAL(38,0)'
      assert.deepEqual(cause.problems, [{ table: 'counts', column: 'huge', message, rows: 1 }])
      return true
    })
  })

  it('are intervals, which are sealed as long as they stay what they are', async () => {
    const { manifest } = await sealWaits('1 year 2 months 3 days 04:05:06.789', '49 days', '48:00:00')
    assert.equal(manifest.tables.find(({ name }) => name === 'waits')?.rows, 3)
    for (const wait of ['-1 day', '-2 months', '-00:00:01', '1 month -1 day', '2000:00:00', '00:00:00.0005'])
      await assert.rejects(sealWaits('1 day', wait), cause => {
        assert.ok(cause instanceof SealError, `${wait}: ${cause}`)
        assert.match(cause.problems[0]?.message ?? '', /^row 2: ".+" is an interval that is not stored: only months/)
        return true
      })
  })

  it('are in lists too', async () => {
    const tables = (row: Record<string, unknown>) => ({
      counts: fromRows([]),
      waits: fromRows([]),
      lists: fromRows([{ huge: [1n, null], waits: ['1 day'] }, row]),
    })
    await sealer.seal({ projectId: PROJECT, tables: tables({ huge: [2n ** 100n], waits: null }) })
    for (const [row, message] of [
      [
        { huge: [2n ** 100n + 1n], waits: null },
        /^row 2: .* has more digits .* declare the column as DECIMAL\(38,0\)\[\]$/,
      ],
      [{ huge: null, waits: ['1 day', '-1 day'] }, /^row 2: .* is an interval that is not stored/],
    ] as const)
      await assert.rejects(sealer.seal({ projectId: PROJECT, tables: tables(row) }), cause => {
        assert.ok(cause instanceof SealError, String(cause))
        assert.match(cause.problems[0]?.message ?? '', message)
        return true
      })
  })

  it('are not dates with more after them, which the engine would drop', async () => {
    const sealDay = (day: string) =>
      sealer.seal({
        projectId: PROJECT,
        tables: { counts: fromRows([]), waits: fromRows([]), days: fromCsv([`day\n2024-01-31\n${day}\n`]) },
      })
    for (const day of ['2024-1-5', '0044-03-15 (BC)', '2024-01-31 00:00:00', '290001-01-01', 'infinity'])
      assert.equal((await sealDay(day)).manifest.tables.at(-1)?.rows, 2, day)
    for (const day of ['0044-03-15 BC', '2024-01-31xyz', '2024-01-31 or so', '2024-01-31 12:30:00 BC'])
      await assert.rejects(sealDay(day), cause => {
        assert.ok(cause instanceof SealError, `${day}: ${cause}`)
        assert.equal(cause.problems[0]?.message, `line 3: "${day}" is not a DATE: write it as 2024-12-31`)
        return true
      })
  })
})
