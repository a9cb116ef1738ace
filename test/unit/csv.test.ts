import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MalformedCsv, scanCsv } from 'foldgate/internal'

describe('a CSV file', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'foldgate-csv-'))
  })
  after(() => rm(folder, { recursive: true }))

  async function scan(content: string | Buffer) {
    const path = join(folder, 'table.csv')
    await writeFile(path, content)
    return scanCsv(path)
  }

  const accepted: [what: string, content: string, header: string[], rows: number][] = [
    ['with LF', 'a,b\n1,2\n3,4\n', ['a', 'b'], 2],
    ['with CRLF, and no end of the last line', 'a,b\r\n1,2\r\n3,', ['a', 'b'], 2],
    ['with LF and CRLF', 'a,b\r\n1,2\n3,4\r\n', ['a', 'b'], 2],
    ['with a byte order mark', '\uFEFFa,b\n1,2\n', ['a', 'b'], 1],
    ['with quotes, commas and line ends in fields', '"a","b ""c"", d"\n"1\n,2\r\n","""x"""\n', ['a', 'b "c", d'], 1],
    ['with blank lines', 'a,b\n\n1,2\r\n\r\n3,4\n\n', ['a', 'b'], 2],
    ['with an empty value in its only column', 'a\n1\n\n2\n', ['a'], 3],
    ['with its header only', 'a,b', ['a', 'b'], 0],
    ['with text of other scripts', 'név,国\nőr,中\n', ['név', '国'], 1],
  ]
  for (const [what, content, header, rows] of accepted)
    it(`is read ${what}`, async () => assert.deepEqual(await scan(content), { header, rows }))

  const SAVE = 'save it as CSV UTF-8 with commas'
  const NOT_UTF8 = `it is not UTF-8, but perhaps Latin-1 or Windows-1252: ${SAVE}`
  const refused: [what: string, content: string | Buffer, message: string][] = [
    ['nothing', '', 'the file is empty: write the names of the columns in its first line'],
    ['a blank first line', '\na,b\n', 'line 1: it is empty: write the names of the columns there'],
    ['semicolons', 'a;b\n1;2,5\n', `line 1: the fields are separated by semicolons: ${SAVE}`],
    [
      "a spreadsheet's line about semicolons",
      'sep=;\na;b\n',
      `line 1: the fields are separated by semicolons: ${SAVE}`,
    ],
    ['tabs', 'a\tb\n1\t2\n', `line 1: the fields are separated by tabs: ${SAVE}`],
    ['UTF-16', Buffer.from('\uFEFFa,b\n1,2\n', 'utf16le'), `the file is in UTF-16: ${SAVE}`],
    ['UTF-16 without a mark', Buffer.from('a,b\n1,2\n', 'utf16le'), `the file is in UTF-16: ${SAVE}`],
    ['big-endian UTF-16', Buffer.from('\uFEFFa,b\n', 'utf16le').swap16(), `the file is in UTF-16: ${SAVE}`],
    ['a workbook', 'PK\x03\x04\x14', `the file is an Excel workbook (.xlsx) or another ZIP archive: ${SAVE}`],
    ['Parquet', 'PAR1\x15', 'the file is Parquet: let its name end with .parquet'],
    ['gzip', Buffer.from([0x1f, 0x8b, 8, 0]), 'the file is compressed with gzip: unpack it'],
    ['Latin-1', Buffer.from('a,b\n1,2\n3,caf\xe9\n4,5\n', 'latin1'), `line 3: ${NOT_UTF8}`],
    ['Latin-1 in the last line', Buffer.from('a,b\n1,2\n3,\xfc', 'latin1'), `line 3: ${NOT_UTF8}`],
    ['half a character', Buffer.from([0x61, 0x0a, 0xc3]), `line 2: ${NOT_UTF8}`],
    ['a NUL byte', 'a,b\n1,2\n3,\0\n', 'line 3: there is a NUL byte in it: the file is not text'],
    ['CR alone', 'a,b\r1,2\r', 'line 1: it ends with CR alone: let lines end with LF or CRLF'],
    ['CR alone at its end', 'a,b\n1,2\r', 'line 2: it ends with CR alone: let lines end with LF or CRLF'],
    ['a quote that is not closed', 'a,b\n1,"2\n3,4\n', 'line 2: the quote that opens a field here is never closed'],
    [
      'a quote that the next one closes',
      'a,b\n1,"2\n3,"4"\n',
      'line 3: text follows the closing quote of the field that begins in line 2: close each quote once, and double ' +
        'the quotes within a field',
    ],
    [
      'a quote within a field',
      'a,b\n1,2" pipe\n',
      'line 2: there is a quote within a field: put the whole field in quotes, and double those within it',
    ],
    [
      'more fields, after a row of several lines',
      'a,b\n"1\n1",2\n1,2,3\n',
      'line 4: there are 3 fields, and 2 in the header: put a text with commas in quotes',
    ],
    [
      'fewer fields',
      'a,b\n1\n',
      'line 2: there is 1 field, and 2 in the header: write the comma of an empty field too',
    ],
    ['a column without a name', 'a,,c\n', 'line 1: column 2 has no name'],
    ['a name twice', 'a,b,A\n', 'line 1: two columns have the name "A"'],
    [
      'a row that is too long',
      `a,b\n1,2\n3,${'x'.repeat(9_000_000)}\n`,
      'line 3: the row is longer than 2 MB: shorten it',
    ],
  ]
  for (const [what, content, message] of refused)
    it(`is refused with ${what}`, async () => {
      const error = await scan(content).catch((cause: unknown) => cause)
      assert.ok(error instanceof MalformedCsv, String(error))
      assert.equal(error.message, message)
    })

  it('has its lines counted across the chunks in which it is read', async () => {
    const lines = Array.from({ length: 60_000 }, (_, n) => `${n},"${'é'.repeat(20)}"`)
    assert.deepEqual(await scan(['a,b', ...lines].join('\n')), { header: ['a', 'b'], rows: 60_000 })
    const error = await scan(['a,b', ...lines, '1'].join('\n')).catch((cause: Error) => cause)
    assert.match(String(error), /line 60002: there is 1 field/)
  })
})
