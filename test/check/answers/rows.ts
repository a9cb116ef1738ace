import { tableFromIPC } from 'apache-arrow'
import type { ExportFormat } from 'foldgate/client'
import { readParquetRows, rowsOf } from '../../types/arrow.js'
import { readCsv } from '../../types/csv-fields.js'
import { pagedCell, readWorkbook } from '../../types/workbook.js'

/** Rows of a result: of each, its values as pages have them, in the order of the columns. */
export type Rows = readonly (readonly unknown[])[]

/** Reads an export without the code that wrote it; `types` are those of the columns. */
export function readExport(bytes: Uint8Array, format: ExportFormat, types: readonly string[]): Rows {
  const text = () => new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  switch (format) {
    case 'parquet':
      return readParquetRows(bytes).map(Object.values)
    case 'arrow':
      return rowsOf(tableFromIPC(bytes)).map(Object.values)
    case 'ndjson':
      return text()
        .split('\n')
        .slice(0, -1)
        .map(line => Object.values(JSON.parse(line) as object))
    case 'csv':
      return readCsv(text())
        .slice(1)
        .map(fields =>
          fields.map((field, at) => (field.text === '' && !field.isQuoted ? null : fromText(field.text, types[at]))),
        )
    case 'xlsx':
      return readWorkbook(bytes).rows.map(row =>
        row.map((cell, at) => {
          const value = pagedCell(cell)
          return typeof value === 'string' ? fromText(value, types[at]) : (value ?? null)
        }),
      )
    default:
      throw new Error(`no reader of ${format satisfies never}`)
  }
}

/** A value that a text format has; of numbers and nested values, the text is JSON. */
function fromText(text: string, type = 'VARCHAR'): unknown {
  if (!/^(VARCHAR|DATE|TIME|BLOB)[^[]*$/.test(type) && text !== '') return parsed(text)
  return text
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text // such as a NaN
  }
}
