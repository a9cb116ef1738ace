import assert from 'node:assert/strict'
import { CompressionType, compressionRegistry, tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import type { ExportFormat } from 'foldgate/client'
import { fromLz4Frame } from '#lib/client/lz4.js'
import { KEYS, PROJECT, type Service, sharedService } from '../service/service.js'
import { rowsOf } from './arrow.js'
import { statementOf, TYPE_CASES } from './cases.js'

/** Rows of which each cell is a text, or null where nothing stands between the commas. */
function csvRows(text: string): Record<string, string | null>[] {
  return parse(text, { columns: true, cast: (value, { quoting }) => (value === '' && !quoting ? null : value) })
}

/** Reads a cell of a CSV file as the JSON value that it should stand for. */
function asJson(cell: string | null | undefined, wanted: unknown): unknown {
  if (cell === null || cell === undefined || typeof wanted === 'string') return cell
  return JSON.parse(cell)
}

describe('exports in other formats', () => {
  let service: Service
  before(async () => {
    service = await sharedService()
    compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: fromLz4Frame })
  })

  async function exported(sql: string, format: ExportFormat, params: object = {}): Promise<Uint8Array> {
    const { body } = await service.call('projects/export', { projectId: PROJECT, sql, format, ...params })
    assert.ok(body.result?.url, body.message)
    const headers = { authorization: `Bearer ${KEYS.north}` }
    const bytes = new Uint8Array(await (await fetch(body.result.url, { headers })).arrayBuffer())
    assert.equal(bytes.byteLength, body.result.bytes)
    return bytes
  }
  const text = async (...given: Parameters<typeof exported>) =>
    new TextDecoder('utf-8', { fatal: true }).decode(await exported(...given))

  for (const typeCase of TYPE_CASES) {
    const { name, json } = typeCase
    it(`hold ${name} as pages do in NDJSON and CSV, and as Parquet does in Arrow`, async () => {
      const sql = statementOf([typeCase])
      const lines = (await text(sql, 'ndjson')).trimEnd().split('\n')
      assert.deepEqual(
        lines.map(line => JSON.parse(line)[name]),
        json,
      )
      const cells = csvRows(await text(sql, 'csv')).map(row => row[name])
      assert.deepEqual(
        cells.map((cell, row) => asJson(cell, json[row])),
        json,
      )
      assert.deepEqual(
        rowsOf(tableFromIPC(await exported(sql, 'arrow'))).map(row => row[name]),
        typeCase.parquet ?? json,
      )
    })
  }

  it('keep the order of many rows, and their number', async () => {
    const sql = 'SELECT i, hash(i)::VARCHAR AS text FROM range(100000) t(i) ORDER BY i DESC'
    const last = 99_999
    const lines = (await text(sql, 'ndjson')).trimEnd().split('\n')
    assert.equal(lines.length, last + 1)
    assert.ok(lines.every((line, row) => line.startsWith(`{"i":${last - row},"text":"`)))
    const rows = csvRows(await text(sql, 'csv'))
    assert.equal(rows.length, last + 1)
    assert.ok(rows.every(({ i }, row) => i === String(last - row)))
    const more = 399_999 // so that there are several groups of rows
    const table = tableFromIPC(await exported('SELECT i FROM range(400000) t(i) ORDER BY i DESC', 'arrow'))
    assert.equal(table.numRows, more + 1)
    assert.ok([...(table.getChild('i') ?? [])].every((i, row) => Number(i) === more - row))
  })

  it('have nanoseconds in Arrow if a late row needs them, and no row twice', async () => {
    const sql = `SELECT i, TIMESTAMP_NS '2026-11-20 01:02:03.5' + to_microseconds(i) AS at FROM range(400000) t(i)
      UNION ALL SELECT 400000, TIMESTAMP_NS '2026-11-20 01:02:03.123456789'`
    const table = tableFromIPC(await exported(sql, 'arrow'))
    assert.deepEqual([table.numRows, String(table.schema.fields[1]?.type)], [400_001, 'Timestamp<NANOSECOND>'])
    const last = rowsOf(table.slice(400_000))
    assert.deepEqual(last, [{ i: 400_000, at: '2026-11-20T01:02:03.123456789' }])
  })

  it('fail when a late row fails, and the next export has its own rows', async () => {
    const late = "SELECT i, CASE WHEN i > 700000 THEN CAST(i || 'x' AS INTEGER) END AS a FROM range(800000) t(i)"
    for (const format of ['csv', 'ndjson', 'arrow', 'xlsx'] as const) {
      const { status } = await service.call('projects/export', { projectId: PROJECT, sql: late, format })
      assert.equal(status, 422, format)
    }
    const table = tableFromIPC(await exported('SELECT 7 AS seven', 'arrow'))
    assert.deepEqual(rowsOf(table), [{ seven: 7 }])
  })

  it('have no line break but LF at the end of a line in NDJSON', async () => {
    const parts = ['chr(13)', 'chr(10)', 'chr(13) || chr(10)']
    const sql = parts.map(part => `SELECT ('[1,' || ${part} || '2]')::JSON AS j, 'a' || ${part} AS "${'\r'}"`)
    const row = '{"j":[1, 2],"\\r":"a'
    const lines = await text(`${sql.join(' UNION ALL ')} ORDER BY 2`, 'ndjson')
    assert.equal(lines, `${row}\\n"}\n${row}\\r"}\n${row.replace('1, ', '1,  ')}\\r\\n"}\n`)
  })

  it('name their columns as pages do, also without rows', async () => {
    const sql = 'SELECT 1 AS a, 2 AS A, 3 AS "b,""c"" " WHERE false'
    assert.equal(await text(sql, 'csv'), 'a,A_1,"b,""c"" "\n')
    assert.equal(await text(sql, 'ndjson'), '')
    const { schema, numRows } = tableFromIPC(await exported(sql, 'arrow'))
    assert.deepEqual([schema.fields.map(({ name }) => name), numRows], [['a', 'A_1', 'b,"c" '], 0])
  })

  it('tell NULL from the empty text in CSV, and quote what RFC 4180 has quoted', async () => {
    const sql = `SELECT * FROM (VALUES (1, NULL, 'a,b'), (2, '', 'say "x"'), (3, 'NULL', 'two' || chr(10) || 'lines'),
      (4, ' ', 'cr' || chr(13))) AS t(i, a, b) ORDER BY i`
    const lines = ['i,a,b', '1,,"a,b"', '2,"","say ""x"""', '3,NULL,"two\nlines"', '4, ,"cr\r"', '']
    assert.equal(await text(sql, 'csv'), lines.join('\n'))
  })

  it('keep texts that look like formulas in CSV, or escape them on demand', async () => {
    const sql = `SELECT * FROM (VALUES (1, '=1+1'), (2, '+1'), (3, '-1'), (4, '@sum'), (5, chr(9) || '=1'),
      (6, chr(13) || '=1'), (7, chr(10) || '=1'), (8, '＝1'), (9, 'a=1'), (10, ''), (11, NULL), (12, '''=1')) AS t(i, "=a")
      ORDER BY i`
    const values = ['=1+1', '+1', '-1', '@sum', '\t=1', '\r=1', '\n=1', '＝1', 'a=1', '', null, "'=1"]
    const kept = csvRows(await text(sql, 'csv'))
    assert.deepEqual(
      kept.map(row => row['=a']),
      values,
    )
    const escaped = csvRows(await text(sql, 'csv', { csvInjection: 'escape' }))
    assert.deepEqual(
      escaped.map(row => row["'=a"]),
      values.map((value, row) => (row < 8 ? `'${value}`.replace(/(?<=[\t\r\n])=/, "'=") : value)),
    )
  })

  it('escape formulas behind what spreadsheets drop, and where they may begin another cell', async () => {
    const cases = [
      ['\ufeff=1', "'\ufeff=1"],
      ['\u200b\u2060+1', "'\u200b\u2060+1"],
      ['\u00a0 -1', "'\u00a0 -1"],
      ['\u00ad\u034f\ufe0f@a', "'\u00ad\u034f\ufe0f@a"],
      ['\u{e0100}=1', "'\u{e0100}=1"],
      ['\u0001\u009f=1', "'\u0001\u009f=1"],
      ['\u202e\u2066=1', "'\u202e\u2066=1"],
      ['\u3164=1', "'\u3164=1"],
      ['﹦1', "'﹦1"],
      ['a;=1', "a;'=1"],
      ['a;=1;-2\t+3', "a;'=1;'-2\t'+3"],
      ['a\t@b', "a\t'@b"],
      ['a\r\n=1', "a\r\n'=1"],
      ['a; =1', "a;' =1"],
      ['a;\ufeff"=1"', 'a;\'\ufeff"=1"'],
      ['a;""=1', 'a;\'""=1'],
      ['=1;=2', "'=1;'=2"],
      [';=1', ";'=1"],
      ['\t', "'\t"],
      // What stays as it is.
      ['a;b', 'a;b'],
      ['a, -5', 'a, -5'],
      ['a-b;c=d', 'a-b;c=d'],
      ["';'=1", "';'=1"],
      ['größe; 5 €', 'größe; 5 €'],
    ] as const
    const rows = cases.map(([value], index) => `(${index}, '${value.replaceAll("'", "''")}')`)
    const sql = `SELECT t AS "a;=b", [t] AS list, {t: t} AS struct, to_json(t) AS j, json_object('k', t) AS o
      FROM (VALUES ${rows}) v(i, t) ORDER BY i`
    const kept = csvRows(await text(sql, 'csv'))
    const escaped = csvRows(await text(sql, 'csv', { csvInjection: 'escape' }))
    assert.deepEqual(
      kept.map(row => row['a;=b']),
      cases.map(([value]) => value),
    )
    for (const [index, [, expected]] of cases.entries()) {
      const row = escaped[index] as Record<string, string>
      assert.equal(row["a;'=b"], expected)
      assert.equal(row.j, expected)
      // Nested values are JSON, which begins with a bracket and has no tabs or line breaks.
      for (const name of ['list', 'struct', 'o']) {
        const { [name]: nested = '' } = row
        assert.doesNotMatch(nested, /;\s*"*[=+\-@]/)
        assert.equal(nested.replaceAll("'", ''), kept[index]?.[name]?.replaceAll("'", ''))
      }
    }
  })

  it('escape binary values that look like formulas', async () => {
    const sql = "SELECT from_base64('+AAA') AS b"
    assert.deepEqual(csvRows(await text(sql, 'csv', { csvInjection: 'escape' })), [{ b: "'+AAA" }])
  })

  it('have the texts of JSON without quotes in CSV, as pages do', async () => {
    const values = ['"a\\nb"', ' "=x"', '"\\ud83d\\ude00"', 'null', '-1', '[1, "x"]', '{"a": null}']
    const sql = `SELECT v::JSON AS j FROM (VALUES ${values.map(value => `('${value}')`).join()}) t(v)`
    const lines = 'j\n"a\nb"\n=x\n😀\n\n-1\n"[1, ""x""]"\n"{""a"": null}"\n'
    assert.equal(await text(sql, 'csv'), lines)
    assert.equal(await text(sql, 'csv', { csvInjection: 'escape' }), lines.replace('=x', "'=x"))
  })

  it('escape no number, and nothing but CSV', async () => {
    const sql = `SELECT -1 AS n, -0.5 AS d, '-1'::JSON AS j, ['=1'] AS list, union_value(t := '=1') AS u,
      '-a'::ENUM('-a') AS e`
    const params = { csvInjection: 'escape' }
    assert.deepEqual(csvRows(await text(sql, 'csv', params)), [
      { n: '-1', d: '-0.5', j: '-1', list: '["=1"]', u: "'=1", e: "'-a" },
    ])
    assert.deepEqual(JSON.parse(await text(sql, 'ndjson', params)).u, '=1')
  })
})
