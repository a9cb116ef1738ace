import type { RelationStatistics } from '../engine/port.js'
import type { KnownValue, RelationColumn } from '../model.js'
import { type ColumnStatistics, isNumeric } from '../snapshots/statistics.js'

/** The columns of a relation with what their values are, as callers are told it. */
export function toldColumns({ columns }: RelationStatistics): RelationColumn[] {
  return columns.map(({ name, type, statistics }) => ({
    name,
    type,
    ...(statistics ? { statistics: told(statistics, type) } : {}),
  }))
}

function told(
  { nulls, distinct, values, min, max }: ColumnStatistics,
  type: string,
): RelationColumn['statistics'] & {} {
  const read = (text: string) => jsonOf(text, type)
  return {
    nulls,
    distinct,
    ...(values ? { values: values.map(read).sort(inOrder) } : {}),
    ...(min === undefined || max === undefined ? {} : { min: read(min), max: read(max) }),
  }
}

/** A moment as the engine writes it, with the zone of one that has a zone. */
const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(\+00)?$/

/** A value as rows have it: a number that JSON cannot hold exactly stays a text. */
function jsonOf(text: string, type: string): KnownValue {
  if (type === 'BOOLEAN') return text === 'true'
  if (type.startsWith('TIMESTAMP'))
    return text.replace(MOMENT, (_, day, time, zone) => `${day}T${time}${zone ? 'Z' : ''}`)
  if (!isNumeric(type)) return text
  const value = Number(text)
  const isExact = Number.isFinite(value) && (/INT/.test(type) ? Number.isSafeInteger(value) : true)
  return isExact ? value : text
}

function inOrder(one: KnownValue, other: KnownValue): number {
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return one < other ? -1 : Number(one > other)
}
