import assert from 'node:assert/strict'
import { crc32, inflateRawSync } from 'node:zlib'

/** A cell as it is stored: null if it is empty; a date or time as the number and its format. */
export type Cell = null | boolean | number | string | { serial: number; format: string }

/** A workbook of two sheets: rows below the names of their columns, and what they are. */
export interface Workbook {
  names: Cell[]
  rows: Cell[][]
  about: Cell[][]
  /** The XML of each file in the archive. */
  xml: ReadonlyMap<string, string>
}

/** Reads a workbook as the specifications of ZIP and SpreadsheetML have it. */
export function readWorkbook(bytes: Uint8Array): Workbook {
  const xml = unzipped(Buffer.from(bytes))
  const targets = attributesOf(xml, 'xl/_rels/workbook.xml.rels', 'Relationship')
  const pathOf = (id: string | undefined) => `xl/${targets.find(({ Id }) => Id === id)?.Target}`
  const [rows, about] = attributesOf(xml, 'xl/workbook.xml', 'sheet').map(sheet => {
    const path = pathOf(sheet['r:id'])
    return cellsOf(fileOf(xml, path), formatsOf(fileOf(xml, 'xl/styles.xml')))
  })
  assert.ok(rows && about)
  const [names = [], ...others] = rows
  return { names, rows: others, about, xml }
}

/** A cell as pages have its value; a date or time by what its format shows. */
export function pagedCell(cell: Cell | undefined): unknown {
  if (cell === null || typeof cell !== 'object') return cell
  const { serial, format } = cell as { serial: number; format: string }
  // Day 25 569 is 1970-01-01.
  const days = format.startsWith('yyyy') ? serial - 25_569 : serial
  const iso = new Date(Math.round(days * 86_400_000)).toISOString()
  const [date, time = ''] = iso.slice(0, -1).split('T')
  if (format === 'yyyy\\-mm\\-dd') return date
  const clock = /\.000/.test(format) ? time.replace(/0+$/, '') : time.replace(/\.000$/, '')
  if (format.startsWith('hh')) return clock
  return `${date}T${clock}${format.endsWith('"Z"') ? 'Z' : ''}`
}

function fileOf(xml: ReadonlyMap<string, string>, path: string): string {
  const text = xml.get(path)
  assert.ok(text !== undefined, path)
  return text
}

/** The files of an archive, by the directory at its end; their sizes and checksums are compared. */
function unzipped(bytes: Buffer): Map<string, string> {
  const end = bytes.length - 22
  assert.equal(bytes.readUInt32LE(end), 0x06054b50)
  const files = new Map<string, string>()
  let at = bytes.readUInt32LE(end + 16)
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    assert.equal(bytes.readUInt32LE(at), 0x02014b50)
    const [crc, deflated, size] = [16, 20, 24].map(place => bytes.readUInt32LE(at + place)) as [number, number, number]
    const name = bytes.toString('utf8', at + 46, at + 46 + bytes.readUInt16LE(at + 28))
    const header = bytes.readUInt32LE(at + 42)
    assert.equal(bytes.readUInt32LE(header), 0x04034b50)
    const start = header + 30 + bytes.readUInt16LE(header + 26)
    const content = inflateRawSync(bytes.subarray(start, start + deflated))
    assert.deepEqual([content.length, crc32(content)], [size, crc], name)
    // The header of a file that was written as a stream has zeros for its sizes, which follow it.
    assert.deepEqual(bytes.subarray(header + 4, header + 14), bytes.subarray(at + 6, at + 16), 'its header agrees')
    files.set(name, content.toString())
    at += 46 + bytes.readUInt16LE(at + 28)
  }
  assert.equal(at, end)
  return files
}

function attributesOf(xml: ReadonlyMap<string, string>, path: string, tag: string): Record<string, string>[] {
  const elements = fileOf(xml, path).matchAll(new RegExp(`<${tag} ([^>]*)/?>`, 'g'))
  return [...elements].map(([, attributes = '']) =>
    Object.fromEntries(
      [...attributes.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name, value]) => [name, unescaped(value)]),
    ),
  )
}

/** The number format of each style; null for numbers that are no dates. */
function formatsOf(styles: string): (string | null)[] {
  const codes = new Map(
    [...styles.matchAll(/<numFmt numFmtId="(\d+)" formatCode="([^"]*)"\/>/g)].map(([, id, code]) => [
      id,
      unescaped(code),
    ]),
  )
  const looks = styles.slice(styles.indexOf('<cellXfs'))
  return [...looks.matchAll(/<xf numFmtId="(\d+)"/g)].map(([, id]) => codes.get(id) ?? null)
}

function cellsOf(sheet: string, formats: readonly (string | null)[]): Cell[][] {
  // Forbidden in XML, a mark of text that is not UTF-8, or a formula.
  assert.equal(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ufffd]|<f\b/.exec(sheet), null)
  const rows = sheet.slice(sheet.indexOf('<sheetData>')).matchAll(/<row r="(\d+)">(.*?)<\/row>/gs)
  return [...rows].map(([, number, row = ''], rowIndex) => {
    assert.equal(number, String(rowIndex + 1))
    const cells = row.matchAll(/<c r="([A-Z]+)(\d+)"(?:\/>|( [^>]*)?>(.*?)<\/c>)/gs)
    return [...cells].map(([, letters = '', of, attributes = '', content], column) => {
      assert.deepEqual([placeOf(letters), of], [column + 1, number])
      if (content === undefined) return null
      const text = /^<is><t(?: xml:space="preserve")?>([^<>]*)<\/t><\/is>$/s.exec(content)?.[1]
      if (attributes.includes(' t="inlineStr"')) return xstring(text)
      const value = /^<v>([^<>]+)<\/v>$/.exec(content)?.[1]
      assert.ok(value !== undefined, content)
      if (attributes.includes(' t="b"')) return value === '1'
      const format = formats[Number(/ s="(\d+)"/.exec(attributes)?.[1] ?? 0)]
      return format ? { serial: Number(value), format } : Number(value)
    })
  })
}

/** The number of a column by its letters, which are digits from 1 to 26. */
function placeOf(letters: string): number {
  return [...letters].reduce((number, letter) => number * 26 + letter.charCodeAt(0) - 64, 0)
}

/** Text of SpreadsheetML, in which `_x000D_` stands for a carriage return. */
function xstring(text: string | undefined): string {
  assert.ok(text !== undefined)
  // An XML reader makes a line feed of a carriage return.
  return unescaped(text.replace(/\r\n?/g, '\n')).replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' }

function unescaped(text = ''): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (_, code, name) => ENTITIES[name] ?? String.fromCodePoint(Number(code)))
}
