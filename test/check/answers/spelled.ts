import { DuckDBListType, DuckDBStructType, type DuckDBType } from '@duckdb/node-api'

/** A value that the engine's binding gives as JSON, spelled as the contract has it. */
export function spelled(value: unknown, type: DuckDBType): unknown {
  if (value === null) return null
  if (type instanceof DuckDBListType) return (value as unknown[]).map(each => spelled(each, type.valueType))
  if (type instanceof DuckDBStructType)
    return Object.fromEntries(
      type.entryNames.map((name, at) => [
        name,
        spelled((value as Record<string, unknown>)[name], type.entryTypes[at] as DuckDBType),
      ]),
    )
  const name = String(type)
  if (name === 'BLOB') return bytesOf(String(value)).toString('base64')
  if (/INT/.test(name)) return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (name.startsWith('DECIMAL')) {
    const digits = String(value)
      .replace(/^-?0*\.?0*/, '')
      .replace('.', '')
    return digits.length <= 15 ? Number(value) : value
  }
  if (name.startsWith('TIMESTAMP'))
    return String(value)
      .replace(' ', 'T')
      .replace(/\+00(:00)?$/, 'Z')
      .replace(/(\.\d*[1-9])0+(?=Z?$)|\.0+(?=Z?$)/, '$1')
  return value
}

/** The bytes of a BLOB as the engine writes it: ASCII as it is, all others as `\x` and two digits. */
function bytesOf(text: string): Buffer {
  const bytes = [...text.matchAll(/\\x([0-9A-F]{2})|(.)/gs)].map(([, digits, letter = '']) =>
    digits === undefined ? letter.charCodeAt(0) : Number.parseInt(digits, 16),
  )
  return Buffer.from(bytes)
}
