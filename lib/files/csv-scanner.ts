import { isUtf8 } from 'node:buffer'
import { decodeUtf8 } from '../values/utf8.js'

/**
 * Thrown for a file that is not CSV as RFC 4180 has it, in UTF-8; the message begins with the line, if there
 * is one.
 */
export class MalformedCsv extends Error {
  constructor(line: number | null, message: string) {
    super(line === null ? message : `line ${line}: ${message}`)
  }
}

/** Most bytes of the values of a row, whatever their source: less than a page of JSON may have by default. */
export const MOST_ROW_BYTES = 2_000_000
/**
 * A line has at most four bytes for each byte of its values, as in a BLOB, besides commas and numbers. The engine reads no
 * longer one.
 */
export const MOST_LINE_BYTES = 4 * MOST_ROW_BYTES + 1_000_000

const LF = 10
const CR = 13
const QUOTE = 34
const COMMA = 44
export const SAVE_AS = 'save it as CSV UTF-8 with commas'

const OTHER_SEPARATORS = { ';': 'semicolons', '\t': 'tabs', '|': 'vertical bars' }

// What the bytes before mean for the next one.
const FIELD_START = 0
const PLAIN = 1
const QUOTED = 2
/** After a quote within a quoted field: it closes the field, or the next byte is a quote too. */
const QUOTE_SEEN = 3
/** After CR: LF must follow. */
const CARRIAGE_RETURN = 4

/**
 * Checks a CSV file, whose bytes it takes chunk by chunk. csv-parse, which reads short files elsewhere, is
 * not strict enough: it replaces bytes that are not UTF-8, and does not know the lines in which a row and an
 * open quote begin.
 */
export class Scanner {
  header: string[] = []
  rows = 0
  readonly #onRow: (row: number, line: number) => void
  readonly #isOfHeader: boolean
  #state: number = FIELD_START
  #fields = 1
  #line = 1
  /** The lines in which the row and the last quoted field begin. */
  #rowLine = 1
  #quoteLine = 1
  /**
   * Bytes of the row that came before the current chunk, and of the line that {@link isUtf8} has not seen.
   */
  #rowBytes = 0
  #unchecked: Buffer[] = []
  #uncheckedLine = 1
  #head: Buffer[] | null = []

  /** With `isOfHeader`, it reads the header and nothing after it. */
  constructor(onRow: (row: number, line: number) => void = () => {}, isOfHeader = false) {
    this.#onRow = onRow
    this.#isOfHeader = isOfHeader
  }

  push(bytes: Buffer): void {
    this.#checkText(bytes)
    let rowStart = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (byte === 0) this.#refuse('there is a NUL byte in it: the file is not text')
      const afterCr = this.#state === CARRIAGE_RETURN
      if (!this.#step(byte)) continue
      this.#head?.push(bytes.subarray(0, at))
      this.#endRow(this.#rowBytes + at - rowStart - (afterCr ? 1 : 0))
      if (this.#isOfHeader) return
      rowStart = at + 1
      this.#rowBytes = 0
    }
    this.#head?.push(bytes)
    this.#rowBytes += bytes.length - rowStart
    if (this.#rowBytes > MOST_LINE_BYTES) this.#refuseLength()
  }

  end(): void {
    this.#checkLastText()
    if (this.#state === QUOTED)
      throw new MalformedCsv(this.#quoteLine, 'the quote that opens a field here is never closed')
    if (this.#state === CARRIAGE_RETURN) this.#refuseCarriageReturn()
    if (this.#rowBytes > 0) this.#endRow(this.#rowBytes)
    if (this.header.length === 0)
      throw new MalformedCsv(null, 'the file is empty: write the names of the columns in its first line')
  }

  /** Takes one byte. Returns whether it ends a row. */
  #step(byte: number): boolean {
    switch (this.#state) {
      case QUOTED:
        if (byte === QUOTE) this.#state = QUOTE_SEEN
        else if (byte === LF) this.#line++
        return false
      case QUOTE_SEEN:
        if (byte === QUOTE) this.#state = QUOTED
        else if (byte === COMMA || byte === LF || byte === CR) return this.#endField(byte)
        else
          this.#refuse(
            `text follows the closing quote of the field that begins in line ${this.#quoteLine}: close each quote ` +
              'once, and double the quotes within a field',
          )
        return false
      case CARRIAGE_RETURN:
        if (byte !== LF) this.#refuseCarriageReturn()
        return this.#endField(byte)
      default:
        if (byte === COMMA || byte === LF || byte === CR) return this.#endField(byte)
        if (byte !== QUOTE) this.#state = PLAIN
        else if (this.#state === PLAIN)
          this.#refuse(
            'there is a quote within a field: put the whole field in quotes, and double those within it',
          )
        else {
          this.#state = QUOTED
          this.#quoteLine = this.#line
        }
        return false
    }
  }

  #endField(byte: number): boolean {
    this.#state = byte === CR ? CARRIAGE_RETURN : FIELD_START
    if (byte === COMMA) this.#fields++
    if (byte !== LF) return false
    this.#line++
    return true
  }

  /** Ends a row; `bytes` is its length without LF or CRLF. */
  #endRow(bytes: number): void {
    if (bytes > MOST_LINE_BYTES) this.#refuseLength()
    if (this.#head) this.#readHeader(this.#head)
    else if (bytes > 0 || this.header.length === 1) {
      if (this.#fields !== this.header.length) this.#refuseWidth()
      this.rows++
      this.#onRow(this.rows, this.#rowLine)
    }
    this.#fields = 1
    this.#rowLine = this.#line
  }

  #readHeader(head: Buffer[]): void {
    this.#head = null
    const text = decodeUtf8(Buffer.concat(head)).replace(/\r$/, '')
    if (text === '') throw new MalformedCsv(1, 'it is empty: write the names of the columns there')
    this.header = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/g)]
      .slice(0, this.#fields)
      .map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '')
    const separator = Object.entries(OTHER_SEPARATORS).find(([each]) => text.includes(each))
    if (this.header.length === 1 && separator)
      throw new MalformedCsv(1, `the fields are separated by ${separator[1]}: ${SAVE_AS}`)
    const names = this.header.map(name => name.toLowerCase())
    const at = names.findIndex((name, index) => name === '' || names.indexOf(name) !== index)
    if (names[at] === '') throw new MalformedCsv(1, `column ${at + 1} has no name`)
    if (at >= 0) throw new MalformedCsv(1, `two columns have the name ${JSON.stringify(this.header[at])}`)
  }

  /**
   * In UTF-8, LF is never part of another character, so the text up to the last LF of a chunk can be checked
   * alone.
   */
  #checkText(bytes: Buffer): void {
    const end = bytes.lastIndexOf(LF) + 1
    this.#unchecked.push(end === 0 ? bytes : bytes.subarray(0, end))
    if (end === 0) return
    this.#checkLastText()
    this.#unchecked = [bytes.subarray(end)]
  }

  #checkLastText(): void {
    const text = Buffer.concat(this.#unchecked)
    const isWrong = !isUtf8(text)
    for (let start = 0, end = text.indexOf(LF); start < text.length; end = text.indexOf(LF, start)) {
      const next = end < 0 ? text.length : end + 1
      if (isWrong && !isUtf8(text.subarray(start, next)))
        throw new MalformedCsv(
          this.#uncheckedLine,
          `it is not UTF-8, but perhaps Latin-1 or Windows-1252: ${SAVE_AS}`,
        )
      this.#uncheckedLine++
      start = next
    }
  }

  #refuse(message: string): never {
    throw new MalformedCsv(this.#line, message)
  }

  #refuseWidth(): never {
    const [fields, columns] = [this.#fields, this.header.length]
    const advice =
      fields > columns ? 'put a text with commas in quotes' : 'write the comma of an empty field too'
    throw new MalformedCsv(
      this.#rowLine,
      `${fields === 1 ? 'there is 1 field' : `there are ${fields} fields`}, and ${columns} in the header: ${advice}`,
    )
  }

  #refuseCarriageReturn(): never {
    throw new MalformedCsv(this.#line, 'it ends with CR alone: let lines end with LF or CRLF')
  }

  #refuseLength(): never {
    throw new MalformedCsv(this.#rowLine, 'the row is longer than 2 MB: shorten it')
  }
}
