// Prints the rows of a Parquet file in the normal form of the suite, read by hyparquet: read.mjs FILE LEFT_OUT
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects, parquetSchema } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'

const [path, leftOut] = [process.argv[2], JSON.parse(process.argv[3])]
const file = await asyncBufferFromFile(path)
const metadata = await parquetMetadataAsync(file)
const { children } = parquetSchema(metadata)
const columns = children.map(({ element }) => element.name)

/** Ticks of a timestamp, whose Date would lose microseconds. */
class Instant {
  constructor(ticks, digits) {
    Object.assign(this, { ticks, digits })
  }

  /** The form of pages, for the column whose schema is given. */
  text(schema) {
    const perSecond = 10n ** BigInt(this.digits)
    const fraction = ((this.ticks % perSecond) + perSecond) % perSecond
    const whole = new Date(Number((this.ticks - fraction) / perSecond) * 1000).toISOString().slice(0, -5)
    const digits = String(fraction).padStart(this.digits, '0').replace(/0+$/, '')
    return whole + (digits && `.${digits}`) + (isZoned(schema) ? 'Z' : '')
  }
}

function isZoned({ element, children }) {
  return element.logical_type?.isAdjustedToUTC === true || children.some(isZoned)
}

const ticks = digits => value => (value === undefined ? value : new Instant(BigInt(value), digits))
const parsers = {
  dateFromDays: days => (days === undefined ? days : new Date(days * 86_400_000).toISOString().split('T')[0]),
  timestampFromMilliseconds: ticks(3),
  timestampFromMicroseconds: ticks(6),
  timestampFromNanoseconds: ticks(9),
}

/** A value as pages have it, but numbers as text. */
function normal(value, schema) {
  if (value === null || value === undefined) return null
  if (isTime(schema)) return new Instant(BigInt(value), 6).text(schema).slice('1970-01-01T'.length)
  if (typeof value === 'bigint' || typeof value === 'number') return String(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof Instant) return value.text(schema)
  if (Array.isArray(value)) return value.map(item => normal(item, schema))
  if (typeof value !== 'object') return value
  const members = Object.entries(value).map(([key, item]) => {
    const child = schema.children.find(({ element }) => element.name === key)
    return [key, normal(item, child ?? schema)]
  })
  return Object.fromEntries(members)
}

/** hyparquet gives a TIME as its number of microseconds. */
function isTime({ element }) {
  return element.logical_type?.type === 'TIME'
}

async function read(columns) {
  // Without `utf8: false`, a BLOB is decoded as if it were a text.
  const rows = await parquetReadObjects({ file, metadata, compressors, parsers, columns, utf8: false })
  const wanted = columns.map(column => children.find(({ element }) => element.name === column))
  return rows.map(row => wanted.map(schema => normal(row[schema.element.name], schema)))
}

async function apart(column) {
  return read([column]).then(
    rows => rows.map(([value]) => value),
    error => ({ error: String(error) }),
  )
}

const found = columns.filter(column => !leftOut.includes(column))
const rows = await read(found)
const left = []
for (const column of leftOut) left.push([column, await apart(column)])
console.log(JSON.stringify({ columns: found, rows, apart: Object.fromEntries(left) }))
