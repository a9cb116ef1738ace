import type { ExportFormat } from '../model.js'

/** What each format of an exported file is called. */
export interface FormatNames {
  /** Media type of the download. */
  type: string
  /** Ending of file names, without the dot. */
  extension: string
}

/** How files of each format are named. */
export const FORMATS: Readonly<Record<ExportFormat, FormatNames>> = {
  parquet: { type: 'application/vnd.apache.parquet', extension: 'parquet' },
  csv: { type: 'text/csv; charset=utf-8; header=present', extension: 'csv' },
  ndjson: { type: 'application/x-ndjson', extension: 'ndjson' },
  arrow: { type: 'application/vnd.apache.arrow.stream', extension: 'arrows' },
  xlsx: { type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', extension: 'xlsx' },
}
