import assert from 'node:assert/strict'
import { columnName } from '#lib/values/xlsx-parts.js'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { JSON_ONLY_CASES, statementOf, TYPE_CASES } from './cases.js'
import { type Cell, pagedCell, readWorkbook, type Workbook } from './workbook.js'

const DATE = 'yyyy\\-mm\\-dd'
const TIMESTAMP = `${DATE} hh:mm:ss`
/** Doubles that Excel reads as 0 are texts. */
const SUBNORMAL = 2.2250738585072014e-308

describe('workbooks', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
  })

  const call = (sql: string, params = {}) =>
    service.call('projects/export', { projectId: PROJECT, sql, format: 'xlsx', ...params })

  async function exported(sql: string, params = {}): Promise<Workbook> {
    const { body } = await call(sql, params)
    assert.ok(body.result?.url, body.message)
    const answer = await fetch(body.result.url, { headers: { authorization: `Bearer ${KEYS.north}` } })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    assert.equal(bytes.byteLength, body.result.bytes)
    const workbook = readWorkbook(bytes)
    assert.equal(workbook.rows.length, body.result.rows)
    return workbook
  }

  /** The cells of one row with these columns. */
  async function cellsOf(...columns: string[]): Promise<Cell[]> {
    const { rows } = await exported(`SELECT ${columns.map((column, index) => `${column} AS c${index}`).join(', ')}`)
    return rows[0] as Cell[]
  }

  async function assertTooLarge(sql: string, message: RegExp): Promise<void> {
    const { status, body } = await call(sql)
    assert.deepEqual([status, body.class], [413, 'QUERY_TOO_LARGE'], body.message)
    assert.match(body.message ?? '', message)
  }

  it('hold every type of the pages', async () => {
    const cases = [...TYPE_CASES, ...JSON_ONLY_CASES]
    const { names, rows } = await exported(statementOf(cases))
    assert.deepEqual(
      names,
      cases.map(({ name }) => name),
    )
    cases.forEach(({ name, json }, column) => {
      json.forEach((wanted, row) => {
        const given = pagedCell(rows[row]?.[column])
        const isJson = typeof wanted === 'object' || (name.startsWith('json') && typeof wanted !== 'string')
        if (isJson && given !== null) assert.deepEqual(JSON.parse(given as string), wanted, name)
        else if (typeof wanted === 'number' && wanted !== 0 && Math.abs(wanted) < SUBNORMAL)
          assert.equal(given, String(wanted), name)
        else assert.equal(given, wanted, name)
      })
    })
  })

  it('tell the place of each row and cell, beyond column Z and in the order of the result', async () => {
    // The reader compares each reference with the place of its cell.
    const columns = Array.from({ length: 60 }, (_, index) => `i + ${index} AS c${index}`)
    const wide = await exported(`SELECT ${columns} FROM range(3) t(i) ORDER BY i DESC`)
    assert.deepEqual(
      wide.rows.map(row => [row[0], row[26], row[59]]),
      [2, 1, 0].map(first => [first, first + 26, first + 59]),
    )
    const long = await exported('SELECT i, NULL AS none, i::VARCHAR AS t FROM range(50000) t(i) ORDER BY i DESC')
    assert.deepEqual(long.rows[49_990], [9, null, '9'])
    assert.equal((await exported('SELECT \'<c r="A1"><v>1</v></c>\' AS t')).rows[0]?.[0], '<c r="A1"><v>1</v></c>')
    assert.deepEqual([1, 26, 27, 28, 52, 53, 702, 703, 16_384].map(columnName), [
      'A',
      'Z',
      'AA',
      'AB',
      'AZ',
      'BA',
      'ZZ',
      'AAA',
      'XFD',
    ])
  })

  it('hold dates and times as numbers with a format if Excel can represent them', async () => {
    const at = (serial: number, format: string) => ({ serial, format })
    const ms = 1 / 86_400_000
    for (const [sql, wanted] of [
      ["DATE '1900-03-01'", at(61, DATE)],
      ["DATE '2000-01-01'", at(36_526, DATE)],
      ["DATE '9999-12-31'", at(2_958_465, DATE)],
      ["DATE '1900-02-28'", '1900-02-28'],
      ["DATE '10000-01-01'", '+010000-01-01'],
      ["TIMESTAMP '1900-03-01'", at(61, TIMESTAMP)],
      ["TIMESTAMP '2000-01-01 12:00:00'", at(36_526.5, TIMESTAMP)],
      ["TIMESTAMP '2000-01-01 18:00:00.001'", at(36_526.75 + ms, `${TIMESTAMP}.000`)],
      ["TIMESTAMP_NS '2000-01-01 12:00:00'", at(36_526.5, TIMESTAMP)],
      ["TIMESTAMP '9999-12-31 23:59:59.999'", at(2_958_466 - ms, `${TIMESTAMP}.000`)],
      ["TIMESTAMP '9999-12-31 23:59:59.9995'", '9999-12-31T23:59:59.9995'],
      ["TIMESTAMP '2000-01-01 12:00:00.0001'", '2000-01-01T12:00:00.0001'],
      ["TIMESTAMP_NS '2000-01-01 12:00:00.000000001'", '2000-01-01T12:00:00.000000001'],
      ["TIMESTAMP '1900-02-28 23:59:59'", '1900-02-28T23:59:59'],
      ["TIMESTAMPTZ '2000-01-01 14:00:00+02'", at(36_526.5, `${TIMESTAMP}"Z"`)],
      ["TIMESTAMPTZ '2000-01-01 12:00:00.250+00'", at(36_526.5 + 250 * ms, `${TIMESTAMP}.000"Z"`)],
      ["TIMESTAMPTZ '2000-01-01 12:00:00.000001+00'", '2000-01-01T12:00:00.000001Z'],
      ["TIME '06:00:00'", at(0.25, 'hh:mm:ss')],
      ["TIME '00:00:00.001'", at(ms, 'hh:mm:ss.000')],
      ["TIME '06:00:00.0001'", '06:00:00.0001'],
      ["TIME '24:00:00'", '24:00:00'],
    ] as const) {
      const [cell] = await cellsOf(sql)
      if (typeof wanted === 'string') assert.equal(cell, wanted)
      else {
        const { serial, format } = cell as typeof wanted
        assert.deepEqual([format, Math.round(serial / ms)], [wanted.format, Math.round(wanted.serial / ms)], sql)
      }
    }
  })

  it('hold any text as it is, and never a formula', async () => {
    const texts = [
      '=1+1',
      '+1',
      '-1',
      '@a',
      '<b>&amp;</b> "]]>',
      ' before',
      'after ',
      'a\r\nb\tc\n',
      '_x0041_',
      '_x0041_x0042_ _x00e9_ _X0041_ _x41_',
      '_\u0001x0041_\u0001_x0041',
      '\0\u0001\u001f\u007f\ufffe\uffff',
      '🌍 é',
      'true',
      '1',
      '',
    ]
    const sql = texts.map(text =>
      text === '' ? "''" : [...text].map(character => `chr(${character.codePointAt(0)})`).join(' || '),
    )
    assert.deepEqual(await cellsOf(...sql, 'NULL::VARCHAR'), [...texts, null])
    const named = texts.slice(0, -1).filter(text => !text.includes('\0'))
    const { names } = await exported(`SELECT ${named.map(text => `1 AS "${text.replaceAll('"', '""')}"`).join(', ')}`)
    assert.deepEqual(names, named)
    const union = await cellsOf("'=1'::UNION(n INTEGER, s VARCHAR)", "['=1 & ' || chr(13)]", "'a&b'::ENUM('a&b')")
    assert.deepEqual(union, ['=1', '["=1 & \\r"]', 'a&b'])
  })

  it('hold at most 32 767 characters in a cell', async () => {
    const most = ["repeat('x', 32767)", "repeat('é', 32767)", "repeat('🌍', 16383) || '&'", "repeat('&', 32767)"]
    const cells = await cellsOf(...most)
    assert.deepEqual(
      cells.map(cell => (cell as string).length),
      most.map(() => 32_767),
    )
    for (const value of [
      "repeat('x', 32768)",
      "repeat('🌍', 16383) || '&&'",
      "[repeat('x', 32764)]",
      "repeat('a', 24576)::BLOB",
      "repeat('1', 32768)::BIT",
      "repeat('x', 32768)::UNION(n INTEGER, s VARCHAR)",
    ])
      await assertTooLarge(
        `SELECT 1 AS a, ${value} AS "it's"`,
        /^A string in column "it's" is longer than the 32767 char/,
      )
    await assertTooLarge(`SELECT '${'x'.repeat(32_768)}'`, /^A string in column "'xxx/)
  })

  it('hold at most 1 048 576 rows, the names included', async () => {
    const { body } = await call('SELECT i FROM range(1048575) t(i)')
    assert.equal(body.result?.rows, 1_048_575)
    await assertTooLarge('SELECT i FROM range(1048576) t(i)', /at most 1048576 rows, one of them for the names/)
    await assertTooLarge('SELECT i FROM range(1000000000000) t(i)', /at most 1048576 rows/)
    await assertTooLarge('SELECT a.i FROM range(10000000) a(i), range(10000000) b(i)', /at most 1048576 rows/)
    // Refused before it is written: its bytes would pass their limit long before its last row.
    await assertTooLarge("SELECT repeat('x', 32767) AS a FROM range(2000000) t(i)", /at most 1048576 rows/)
  })

  it('hold the names of results without rows, and names that come twice', async () => {
    const { names, rows, xml } = await exported('SELECT 1 AS a, 2 AS a, 3 AS "A" WHERE false')
    assert.deepEqual([names, rows], [['a', 'a_1', 'A_2'], []])
    assert.match(xml.get('xl/worksheets/sheet1.xml') ?? '', /<autoFilter ref="A1:C1"\/>/)
  })

  it('hold the rows in their order, below names that stay in view', async () => {
    const sql = 'SELECT hash(i) AS h, i FROM range(20000) t(i) ORDER BY h'
    const { rows, xml } = await exported(sql)
    const hashes = rows.map(([hash]) => BigInt(hash as string | number))
    assert.deepEqual(
      hashes,
      hashes.toSorted((a, b) => (a < b ? -1 : 1)),
    )
    const [start = '', end = ''] = (xml.get('xl/worksheets/sheet1.xml') ?? '').split(/<sheetData>.*<\/sheetData>/s)
    assert.match(start, /<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"\/>/)
    assert.equal(end, '<autoFilter ref="A1:B20001"/></worksheet>')
  })

  it('have columns as wide as their first values and their names, within bounds', async () => {
    const { xml } = await exported(`SELECT 1 AS n, 'twelve chars' AS t, 1 AS "a name of 24 characters.",
      repeat('x', 100) AS long, DATE '2026-11-20' AS day, 123456789012 AS digits`)
    const widths = [...(xml.get('xl/worksheets/sheet1.xml') ?? '').matchAll(/<col [^>]*width="(\d+)"/g)]
    assert.deepEqual(
      widths.map(([, width]) => Number(width)),
      [8, 12 + 3, 24 + 3, 60, 10 + 3, 12 + 3],
    )
  })

  it('say in a second sheet what they hold', async () => {
    const comment = `-- ${'🌍'.repeat(10_000)} ${'x'.repeat(20_000)}`
    const sql = `SELECT 1 AS a ${comment}`
    const { about } = await exported(sql, { ownershipView: 'gross' })
    const lines = Object.fromEntries(about.slice(0, 5))
    assert.deepEqual(Object.keys(lines), ['Project id', 'Snapshot id', 'Sealed at', 'Entity id', 'Ownership view'])
    assert.deepEqual([lines['Project id'], lines['Ownership view']], [PROJECT, 'gross'])
    assert.match(lines['Sealed at'], /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(
      about.slice(5).map(([name]) => name),
      ['SQL', ''],
    )
    assert.equal(
      about
        .slice(5)
        .map(([, text]) => text)
        .join(''),
      sql,
    )
  })

  it('are not made when a row fails that comes late', async () => {
    const sql = "SELECT CASE WHEN i > 300000 THEN CAST('x' || i AS INTEGER) END FROM range(1000000) t(i)"
    const { status, body } = await call(sql)
    assert.deepEqual([status, body.class, body.data?.line, body.data?.column], [422, 'INVALID_QUERY', 1, 34])
  })

  it('refuse types that pages refuse', async () => {
    for (const value of ['1::VARIANT', '1::BIGNUM']) assert.equal((await call(`SELECT ${value} AS v`)).status, 422)
  })
})
