import assert from 'node:assert/strict'
import { fromCsv } from 'foldgate/sealing'
import { scratchFolder } from '../server/command.js'
import { sealOne } from './one-table.js'

/** Columns of text that nothing declares, with the types that are guessed. */
const COLUMNS: readonly [type: string, ...values: string[]][] = [
  ['BOOLEAN', 'true', 'false'],
  ['BIGINT', '1', '-9223372036854775808'],
  ['DOUBLE', '0.5', '2.0'],
  ['DOUBLE', '0.5', '2'],
  ['DECIMAL(18,2)', '0.50', '12.34'],
  ['DATE', '2024-01-31', '0001-01-01'],
  ['TIME', '10:00:00', '23:59:59.5'],
  ['TIMESTAMP', '2024-01-31 10:00:00', '2024-01-31 10:00:00.5'],
  ['TIMESTAMP', '2024-01-31T10:00:00', '2024-01-31T10:00:00.5'],
  ['VARCHAR', '2024-01-31T10:00:00', '2024-01-31 10:00:00'],
  ['VARCHAR', '01/02/2024', '03/04/2024'],
  ['VARCHAR', '01/02/24', '2024-01-02'],
  ['VARCHAR', '24-01-02', '24-01-03'],
  ['VARCHAR', '9223372036854775808', '1'],
  ['VARCHAR', '1e400', '1'],
  ['VARCHAR', '0x1F', '1'],
  ['VARCHAR', '1E5', '1'],
  ['VARCHAR', '1e5', '1'],
  ['VARCHAR', 't', 'f'],
  ['VARCHAR', 'True', 'False'],
  ['VARCHAR', 'inf', '1.5'],
  ['VARCHAR', 'nan', '1.5'],
  ['VARCHAR', 'infinity', '2024-01-01'],
  ['VARCHAR', '007', '1'],
  ['VARCHAR', '+5', '1'],
  ['DOUBLE', '-0', '1'],
  ['VARCHAR', '1_000', '1'],
  ['VARCHAR', ' 1', '1'],
  ['VARCHAR', '1.50', '2'],
  ['VARCHAR', '-0.00', '1.50'],
  ['VARCHAR', '10:00', '11:00'],
  ['VARCHAR', '0.1234567890123456789', '1'],
  ['VARCHAR', '2024-01-31 10:00:00+02', '2024-01-31 10:00:00+00'],
  ['VARCHAR', '', ''],
]
const ZERO = COLUMNS.findIndex(([, first]) => first === '-0')

describe('types that nothing declares', () => {
  const scratch = scratchFolder()

  it('are guessed from CSV only when each value comes back from its type, and told in the manifest', async () => {
    const names = COLUMNS.map((_, at) => `c${at}`)
    const lines = [1, 2].map(at => COLUMNS.map(values => values[at]))
    const csv = [names, ...lines, names.map(() => '')].map(line => `${line.join(',')}\n`).join('')
    const { manifest, rows } = await sealOne(scratch.path, undefined, fromCsv([csv]))
    const [table] = manifest?.tables ?? []
    assert.deepEqual(
      table?.columns.map(({ type }, at) => [type, ...lines.map(line => line[at])]),
      COLUMNS,
    )
    assert.deepEqual(
      table?.guessed,
      names.filter((_, at) => COLUMNS[at]?.[0] !== 'VARCHAR'),
    )
    const written = (text: string | null | undefined, at: number) =>
      [3, ZERO].includes(at) ? text?.replace(/\.0$/, '') : at === 8 ? text?.replace(' ', 'T') : (text ?? '')
    assert.deepEqual(
      rows.slice(0, 2).map(row => row.map(written)),
      lines,
    )
    assert.ok(rows[2]?.every(text => text === null))
  })

  it('are those of text in a table without rows, and none is told', async () => {
    const { manifest } = await sealOne(scratch.path, undefined, fromCsv(['a,b\n']))
    assert.deepEqual(
      manifest?.tables.map(({ columns, guessed }) => [columns.map(({ type }) => type), guessed]),
      [[['VARCHAR', 'VARCHAR'], undefined]],
    )
  })

  it('are not guessed of a column that is declared', async () => {
    const { manifest } = await sealOne(scratch.path, { a: 'VARCHAR', b: 'BIGINT' }, fromCsv(['a,b\n1,1\n']))
    assert.equal(manifest?.tables[0]?.guessed, undefined)
  })
})
