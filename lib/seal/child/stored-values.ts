import type { Connection } from '../../duckdb/child/duckdb.js'
import { identifier } from '../../values/quote.js'
import type { SealTable } from '../job.js'
import { type Finding, wrongRows } from './checks.js'

/** Reports values of the raw table that a Parquet file would not hold as they are. */
export async function checkStored(
  connection: Connection,
  table: SealTable,
  raw: string,
  types: Readonly<Record<string, string>>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [column, type] of Object.entries(types)) {
    const changed = changedWhenStored(`TRY_CAST(${identifier(column)} AS ${type})`, type)
    if (changed === null) continue
    const { wrong, what } = changed
    findings.push(...(await wrongRows(connection, table, raw, { column, wrong, what: () => what })))
  }
  return findings
}

/**
 * SQL that is true for a value that a Parquet file holds as another one, or not at all, and what follows the value in a
 * sentence; null for types whose values all stay as they are.
 */
export function changedWhenStored(value: string, type: string): { wrong: string; what: string } | null {
  const [list, element = ''] = /^(.*)\[\d*\]$/.exec(type) ?? []
  if (list) {
    const each = `each${list.length}` // another name in each depth of lists of lists
    const changed = changedWhenStored(each, element)
    if (!changed) return null
    const what = changed.what.replace('DECIMAL(38,0)', 'DECIMAL(38,0)[]')
    return { wrong: `len(list_filter(${value}, lambda ${each}: ${changed.wrong})) > 0`, what }
  }
  // There is no type for it in Parquet: DOUBLE is what is written.
  if (/^U?HUGEINT$/i.test(type))
    return {
      wrong: `TRY_CAST(CAST(${value} AS DOUBLE) AS ${type}) IS DISTINCT FROM ${value}`,
      what: 'has more digits than are stored: declare the column as DECIMAL(38,0)',
    }
  if (!/^INTERVAL$/i.test(type)) return null
  // Parquet has months, days and milliseconds, each of 32 bits and without a sign.
  const part = (name: string) => `date_part('${name}', ${value})`
  const micros = `(${part('hour')} * 3600000000 + ${part('minute')} * 60000000 + ${part('microsecond')})`
  const months = `(${part('year')} * 12 + ${part('month')})`
  return {
    wrong: `${months} < 0 OR ${part('day')} < 0 OR ${micros} NOT BETWEEN 0 AND 4294967295000 OR ${micros} % 1000 <> 0`,
    what:
      'is an interval that is not stored: only months, days and whole milliseconds up to 49 days, none below 0, are. ' +
      'Store seconds as a number, or a text',
  }
}
