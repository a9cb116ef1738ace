import { typeName } from '../../catalogue/column-types.js'
import { identifier } from '../../values/quote.js'
import type { SealTable } from '../job.js'
import { isCutFloat, isDecimalText, isOtherNumber, mayBeCutDecimal, mayBeCutFloat } from './number-texts.js'
import {
  inUtc,
  isCutInterval,
  isCutTime,
  isOtherInterval,
  isOtherTime,
  isTemporal,
  isWithoutZone,
  mayBeOtherTime,
} from './time-texts.js'

export const INTEGER = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT|U?INTEGER)$/i
/** Types whose values may be infinite, or not a number. */
export const FLOATING = /^(?:DOUBLE|FLOAT|REAL)$/i
const LIST = /\[\d*\]$/

/**
 * How a value of a source is stored: it is what came, written back in the form of the source. Numbers are compared as
 * numbers, and not as they are written.
 */
export interface ValueReading {
  /** SQL of the value; with `isTried`, NULL for a value that the type does not have, which fails otherwise. */
  value(isTried: boolean): string
  /** SQL that is true for a value that the type does not have, though the engine would take it for another one. */
  isOther: string | null
  /** SQL that is true for a value of which the type holds a part only. */
  isCut: string | null
  /** SQL of the value, which fails for one that is other, cut, or none of the type. */
  strict: string
}

/** How a value is given. */
interface Given {
  /** Its type in the source: VARCHAR unless it comes from Parquet. */
  from: string
  /** Whether infinities, and what is not a number, are no values of the column. */
  mustBeFinite: boolean
}

/** The types of the columns of a file, see `TableFile`. */
export interface GivenTypes {
  types: Readonly<Record<string, string>> | null
  own: ReadonlyMap<string, string> | null
}

/** Says how a column of a table is read as a type. */
export function readingIn(
  column: string,
  type: string,
  { columns }: Pick<SealTable, 'columns'>,
  { own }: Pick<GivenTypes, 'own'>,
): ValueReading {
  const from = own?.get(column) ?? 'VARCHAR'
  return readingOf(identifier(column), type, { from, mustBeFinite: columns !== null })
}

/** Says how a value is read as a type; both are SQL. */
function readingOf(value: string, type: string, given: Given): ValueReading {
  if (isExact(given.from, type)) return plain(castOf(value, type))
  const list = LIST.exec(type)?.[0]
  if (list) return listReading(value, type, type.slice(0, -list.length), given)
  const name = typeName(type)
  const text = given.from === 'VARCHAR' ? value : `CAST(${value} AS VARCHAR)`
  const cast = castOf(text, type)
  const read = cast(true)
  if (INTEGER.test(name))
    return checked(cast, {
      isOther: `NOT ${isDecimalText(text)}`,
      isCut: isOtherNumber(text, read),
      mayBeWrong: is => `CAST(${is} AS VARCHAR) <> ${text}`,
    })
  if (name === 'DECIMAL') {
    // The engine takes a text with an exponent for a number of more digits than the type has.
    const isWider = `TRY_CAST(CAST(${read} AS VARCHAR) AS ${type}) IS NULL`
    return checked(cast, {
      isOther: `NOT ${isDecimalText(text)} OR ${isWider}`,
      isCut: isOtherNumber(text, read),
      mayBeWrong: is => mayBeCutDecimal(text, is, scaleOf(type)),
    })
  }
  if (name === 'DOUBLE' || name === 'FLOAT') {
    const isDecimal = isDecimalText(text)
    const isNone = given.mustBeFinite ? 'true' : isDecimal
    return checked(cast, {
      isOther: `CASE WHEN isfinite(${read}) THEN NOT ${isDecimal} ELSE ${isNone} END`,
      isCut: isCutFloat(text, read, name),
      mayBeWrong: is => mayBeCutFloat(text, is, name),
    })
  }
  if (isTemporal(name))
    return checked(
      cast,
      {
        isOther: isOtherTime(text, name),
        isCut: isCutTime(text, name),
        mayBeWrong: is => mayBeOtherTime(text, is, name),
      },
      isWithoutZone(name) ? isTried => inUtc(text, type, castName(isTried)) : cast,
    )
  if (name === 'INTERVAL')
    return checked(cast, {
      isOther: isOtherInterval(text),
      isCut: isCutInterval(text),
      mayBeWrong: () => `contains(${text}, '.')`,
    })
  return plain(name === 'BOOLEAN' ? cast : castOf(value, type))
}

/** A list of values of a type, each of which is read as one by itself. */
function listReading(value: string, type: string, element: string, { mustBeFinite }: Given): ValueReading {
  const each = `each${type.split('[').length}` // another name in each depth of lists of lists
  const one = readingOf(each, element, { from: 'VARCHAR', mustBeFinite })
  const some = (wrong: string) =>
    `len(list_filter(TRY_CAST(${value} AS VARCHAR[]), lambda ${each}: ${wrong})) > 0`
  const isNone = `${each} IS NOT NULL AND ${one.value(true)} IS NULL`
  return checked(
    isTried => {
      const items = `${castName(isTried)}(${value} AS VARCHAR[])`
      return `${castName(isTried)}(list_transform(${items}, lambda ${each}: ${one.value(isTried)}) AS ${type})`
    },
    {
      isOther: some(one.isOther === null ? isNone : `(${isNone}) OR ${one.isOther}`),
      isCut: one.isCut && some(one.isCut),
      mayBeWrong: () => 'true',
    },
  )
}

/** A reading of what needs no check. */
function plain(value: ValueReading['value']): ValueReading {
  return { value, isOther: null, isCut: null, strict: value(false) }
}

/**
 * A reading with checks, which are made only where `mayBeWrong` is true: it is SQL about a value that was cast, quick to
 * compute, and true for all values that do not pass. Where it is not, the cast is the value.
 */
function checked(
  cast: ValueReading['value'],
  {
    isOther,
    isCut,
    mayBeWrong,
  }: { isOther: string; isCut: string | null; mayBeWrong(value: string): string },
  value: ValueReading['value'] = cast,
): ValueReading {
  const where = (wrong: string) => `CASE WHEN ${mayBeWrong(cast(true))} THEN ${wrong} ELSE false END`
  const isWrong = isCut === null ? isOther : `(${isOther}) OR (${isCut})`
  const careful = `CASE WHEN ${isWrong} THEN error('it may be changed') ELSE ${value(false)} END`
  return {
    value,
    isOther: where(isOther),
    isCut: isCut && where(isCut),
    strict: `CASE WHEN ${mayBeWrong(cast(false))} THEN ${careful} ELSE ${cast(false)} END`,
  }
}

function castOf(value: string, type: string): ValueReading['value'] {
  return isTried => `${castName(isTried)}(${value} AS ${type})`
}

function castName(isTried: boolean): string {
  return isTried ? 'TRY_CAST' : 'CAST'
}

/** Whether every value of a type of Parquet that is one of another type is the same in it. */
function isExact(from: string, type: string): boolean {
  const [ofFrom, ofType] = [LIST.exec(from)?.[0], LIST.exec(type)?.[0]]
  if (ofFrom && ofType) return isExact(from.slice(0, -ofFrom.length), type.slice(0, -ofType.length))
  if (ofFrom || ofType) return false
  const [source, target] = [from, type].map(each =>
    typeName(each) === 'DECIMAL' ? `DECIMAL ${widthOf(each)} ${scaleOf(each)}` : typeName(each),
  ) as [string, string]
  if (source === target) return true
  if (INTEGER.test(source)) return INTEGER.test(target) || target.startsWith('DECIMAL')
  return source === 'FLOAT' && target === 'DOUBLE'
}

function widthOf(type: string): number {
  return Number(/\((\d+)/.exec(type)?.[1] ?? 18)
}

function scaleOf(type: string): number {
  const [, , scale = '0'] = /\((\d+)(?:, ?(\d+))?\)/.exec(type) ?? [null, null, '3']
  return Number(scale)
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
