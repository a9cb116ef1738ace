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
