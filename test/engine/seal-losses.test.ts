import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { defineCatalogue, defineTable, directorySnapshots } from 'foldgate'
import { fromCsv, fromRows, openSealer, type TableSource } from 'foldgate/sealing'
import { scratchFolder } from '../server/command.js'
import { sealOne } from './one-table.js'

/** Values that a type holds only in part, with the text of that part. */
const CUT: readonly [type: string, text: string, part: string][] = [
  ['INTEGER', '1.5', '2'],
  ['INTEGER', '15e-1', '2'],
  ['BIGINT', '9007199254740993.5', '9007199254740994'],
  ['BIGINT', '9223372036854775807.4', '9223372036854775807'],
  ['DECIMAL(10,2)', '1.234', '1.23'],
  ['DECIMAL(10,2)', '1.005', '1.01'],
  ['DECIMAL(10,2)', '1234e-3', '1.23'],
  ['DECIMAL(10,2)', '1e-400', '0.00'],
  ['DECIMAL(38,0)', '.5', '1'],
  ['DOUBLE', '1e-400', '0.0'],
  ['DOUBLE', '9007199254740993', '9007199254740992.0'],
  ['DOUBLE', '0.123456789012345678', '0.12345678901234568'],
  ['FLOAT', '16777217', '16777216.0'],
  ['FLOAT', '0.1234567891', '0.12345679'],
  ['FLOAT', '1e-50', '0.0'],
  ['DATE', '2024-01-02 10:00', '2024-01-02'],
  ['DATE', '2024-01-02 00:00:00+02', '2024-01-02'],
  ['DATE', '2024-01-02T22:30:00Z', '2024-01-02'],
  ['TIME', '2024-01-02 10:00:00', '10:00:00'],
  ['TIME', '10:00:00+02', '10:00:00'],
  ['TIME', '10:00:00.1234567', '10:00:00.123456'],
  ['TIMESTAMP', '2024-01-02 10:00:00.1234567', '2024-01-02 10:00:00.123456'],
  ['TIMESTAMP_S', '2024-01-02 10:00:00.4', '2024-01-02 10:00:00'],
  ['TIMESTAMP_MS', '2024-01-02 10:00:00.1231', '2024-01-02 10:00:00.123'],
  ['TIMESTAMP_NS', '2024-01-02 10:00:00.1234567+00', '2024-01-02 10:00:00.123456'],
  ['TIMESTAMPTZ', '2024-01-02T10:00:00.1234567Z', '2024-01-02 10:00:00.123456+00'],
  ['INTEGER[]', '[1, 1.5]', '[1, 2]'],
  ['DECIMAL(5,2)[]', '[1.234]', '[1.23]'],
  ['DATE[]', '[2024-01-01, 2024-01-02 10:00:00]', '[2024-01-01, 2024-01-02]'],
  ['DOUBLE[]', '[9007199254740993]', '[9007199254740992.0]'],
  ['INTEGER[][]', '[[1], [2, 2.5]]', '[[1], [2, 3]]'],
]

/** Values that a type does not have, although the engine reads something from them. */
const OTHER: readonly [type: string, text: string, advice?: string][] = [
  ['DATE', '01/02/24', ': write it as 2024-12-31'],
  ['DATE', '24-01-02', ': write it as 2024-12-31'],
  ['DATE', '2024\\01\\02', ': write it as 2024-12-31'],
  ['DATE', '2024-01-02 10:00:00 Europe/Berlin', ': write it as 2024-12-31'],
  ['TIME WITH TIME ZONE', '10:00+05:30', ': write it as 23:59:59+00'],
  ['TIMESTAMP', '01/02/24 10:00:00', ': write it as 2024-12-31 23:59:59'],
  ['TIMESTAMP', '-024-01-02 10:00:00', ': write it as 2024-12-31 23:59:59'],
  ['TIMESTAMPTZ', '24-01-02 10:00:00', ': write it as 2024-12-31 23:59:59'],
  ['TIMESTAMPTZ', '2024-01-02 10:00:00 Europe/Berlin', ': write it as 2024-12-31 23:59:59'],
  ['TIMESTAMPTZ', '2024-01-02 10:00:00 CET', ': write it as 2024-12-31 23:59:59'],
  ['TIME', '01/02/24 10:00:00', ': write it as 23:59:59'],
  ['INTEGER', '0x1F'],
  ['INTEGER', '0b11'],
  ['DOUBLE', '1e400'],
  ['DOUBLE', 'inf'],
  ['FLOAT', '1e39'],
  ['DOUBLE[]', '[1, 1e400]'],
  ['DATE[]', '[2024-01-01, 01/02/24]'],
  ['INTEGER[]', '[1, x]'],
  ['INTERVAL', '1.5 months'],
]

/** Values that a type holds, with the text of what is stored. */
const KEPT: readonly [type: string, text: string, stored: string][] = [
  ...['1', '1.0', '1e0', '+1', '100e-2', ' 1 ', '0.1e1'].map(
    text => ['INTEGER', text, '1'] as [string, string, string],
  ),
  ['BIGINT', '9223372036854775807.0', '9223372036854775807'],
  ['BIGINT', '-9223372036854775808', '-9223372036854775808'],
  ['DECIMAL(38,0)', '170141183460469231731687303715884105', '170141183460469231731687303715884105'],
  ...['1.50', '1.5', '1.5000', '150e-2', '1.50e0'].map(
    text => ['DECIMAL(10,2)', text, '1.50'] as [string, string, string],
  ),
  ['DOUBLE', '0.1', '0.1'],
  ['DOUBLE', '0.12345678901234567', '0.12345678901234566'],
  ['DOUBLE', '590295810358705700000', '5.902958103587057e+20'],
  ['DOUBLE', '1180591620717411303424', '1.1805916207174113e+21'],
  ['DOUBLE', '0.000', '0.0'],
  ['DOUBLE', '0e-400', '0.0'],
  ['FLOAT', '0.1', '0.1'],
  ['FLOAT', '16777216', '16777216.0'],
  ['FLOAT', '0.10000000149011612', '0.1'],
  ['DATE', '2024-1-5', '2024-01-05'],
  ['DATE', '2024/01/05', '2024-01-05'],
  ['DATE', '2024-01-05 00:00:00', '2024-01-05'],
  ['DATE', '2024-01-05T00:00:00.000Z', '2024-01-05'],
  ['DATE', '0044-03-15 (BC)', '0044-03-15 (BC)'],
  ['DATE', 'infinity', 'infinity'],
  ['TIME', '10:00', '10:00:00'],
  ['TIME', '10:00:00.123456000', '10:00:00.123456'],
  // An offset is an instant, and a column without a zone holds it in UTC.
  ['TIMESTAMP', '2024-01-02T10:00:00+02:00', '2024-01-02 08:00:00'],
  ['TIMESTAMP', '2024-01-02 10:00:00.5-0330', '2024-01-02 13:30:00.5'],
  ['TIMESTAMP', '2024-01-02T10:00:00Z', '2024-01-02 10:00:00'],
  ['TIMESTAMP', '2024-01-02', '2024-01-02 00:00:00'],
  ['TIMESTAMP', '-000044-03-15T10:00:00.000Z', '0045-03-15 (BC) 10:00:00'],
  ['TIMESTAMP', '012024-03-15T10:00:00.000Z', '12024-03-15 10:00:00'],
  ['TIMESTAMP_NS', '2024-01-02 10:00:00.123456789', '2024-01-02 10:00:00.123456789'],
  ['TIMESTAMP_S', '2024-01-02 10:00:00.000+02', '2024-01-02 08:00:00'],
  ['TIMESTAMPTZ', '2024-01-02T10:00:00+02:00', '2024-01-02 08:00:00+00'],
  ['TIMESTAMPTZ', '2024-01-02 10:00:00', '2024-01-02 10:00:00+00'],
  ['TIMESTAMP[]', '[2024-01-02 10:00:00+02, NULL]', "['2024-01-02 08:00:00', NULL]"],
  ['INTEGER[]', '[1.0, NULL, 2]', '[1, NULL, 2]'],
  ['BOOLEAN', 't', 'true'],
]

const columnsOf = (cases: readonly (readonly [type: string, ...rest: unknown[]])[], isLossy = false) =>
  Object.fromEntries(cases.map(([type], at) => [`c${at}`, isLossy ? { type, lossy: true } : type]))
const rowOf = (cases: readonly (readonly [type: string, text: string, ...rest: unknown[]])[]) =>
  Object.fromEntries(cases.map(([, text], at) => [`c${at}`, text]))

/** The same row from each source of text. */
const SOURCES: readonly [name: string, source: (row: Record<string, string>) => TableSource][] = [
  ['fromRows', row => fromRows([row])],
  [
    'fromCsv',
    row => fromCsv([`${Object.keys(row)}\n${Object.values(row).map(text => `"${text.replaceAll('"', '""')}"`)}\n`]),
  ],
]
const article = (type: string) => (/^[aeio]/i.test(type) ? 'an' : 'a')

for (const [name, sourceOf] of SOURCES)
  describe(`values of ${name}`, () => {
    const scratch = scratchFolder()
    const place = name === 'fromCsv' ? 'line 2' : 'row 1'

    it('that a type holds only in part are named, with the part', async () => {
      const { problems } = await sealOne(scratch.path, columnsOf(CUT), sourceOf(rowOf(CUT)))
      assert.deepEqual(
        problems.map(({ column, message }) => [column, message]),
        CUT.map(([type, text, part], at) => [
          `c${at}`,
          `${place}: "${text}" is not ${article(type)} ${type}: it would be stored as ${part}. Correct it, or declare the column with lossy: true`,
        ]),
      )
    })

    it('that a type holds only in part are warnings of a column that is lossy', async () => {
      const { manifest, rows } = await sealOne(scratch.path, columnsOf(CUT, true), sourceOf(rowOf(CUT)))
      assert.deepEqual(
        manifest?.warnings,
        CUT.map(([, text, part], at) => ({
          table: 't',
          column: `c${at}`,
          message: `${place}: "${text}" is stored as ${part}`,
          rows: 1,
        })),
      )
      assert.deepEqual(
        rows[0]?.map(text => text?.replaceAll("'", '')),
        CUT.map(([, , part]) => part),
      )
    })

    it('that a type does not have are refused, whatever the engine reads from them', async () => {
      for (const isLossy of [false, true]) {
        const { problems } = await sealOne(scratch.path, columnsOf(OTHER, isLossy), sourceOf(rowOf(OTHER)))
        assert.deepEqual(
          problems.map(({ column, message }) => [column, message]),
          OTHER.map(([type, text, advice = ''], at) => [
            `c${at}`,
            `${place}: "${text}" is not ${article(type)} ${type}${advice}`,
          ]),
        )
      }
    })

    it('that a type holds are stored, however they are written', async () => {
      const { rows, problems } = await sealOne(scratch.path, columnsOf(KEPT), sourceOf(rowOf(KEPT)))
      assert.deepEqual(problems, [])
      assert.deepEqual(
        rows[0],
        KEPT.map(([, , stored]) => stored),
      )
    })
  })

describe('a column that is lossy', () => {
  const scratch = scratchFolder()

  it('counts its rows, and names the first of them', async () => {
    const source = fromCsv(['price\n1.00\n1.234\n\n2.005\n3\n-0.001\n'])
    const { manifest, rows } = await sealOne(scratch.path, { price: { type: 'DECIMAL(10,2)', lossy: true } }, source)
    const message = 'line 3: "1.234" is stored as 1.23 (and 2 more rows)'
    assert.deepEqual(manifest?.warnings, [{ table: 't', column: 'price', message, rows: 3 }])
    assert.deepEqual(
      rows.map(([price]) => price),
      ['1.00', '1.23', null, '2.01', '3.00', '0.00'],
    )
  })

  it('is compared with others as it is stored', async () => {
    const catalogue = defineCatalogue({
      relations: [
        defineTable({ name: 't', columns: { price: { type: 'DECIMAL(10,2)', lossy: true } }, unique: ['price'] }),
      ],
    })
    const snapshots = directorySnapshots(join(scratch.path, 'snapshots'))
    const sealer = await openSealer({ catalogue, snapshots, folder: join(scratch.path, 'scratch') })
    const tables = { t: fromCsv(['price\n1.001\n1.002\n']) }
    const sealing = sealer.seal({ projectId: randomUUID(), tables })
    await assert.rejects(sealing, /t\.price: line 3: "1\.00" comes twice/).finally(() => sealer.close())
  })
})
