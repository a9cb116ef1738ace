/** SQL about texts of dates and times. The engine takes many forms, of some of which it reads only a part. */

/** Years have four digits, or as many as in JavaScript: of `01/02/24`, the engine reads the year 1. */
const DAY = '(?:[0-9]{4,6}|-[0-9]{6})(?:-[0-9]{1,2}-|/[0-9]{1,2}/)[0-9]{1,2}(?: \\(BC\\))?'
const CLOCK = '[0-9]{1,2}:[0-9]{2}(?::[0-9]{1,2}(?:\\.[0-9]*)?)?'
/** An offset. A zone by its name changes how the engine reads the rows after it. */
const ZONE = ' ?(?:Z|UTC|[-+][0-9]{2}(?::?[0-9]{2}(?::?[0-9]{2})?)?)'
const INFINITE = '-?(?i:infinity)'
const DAY_AND_CLOCK = `${DAY}(?:[ T]${CLOCK}(?:${ZONE})?)?`
/** How the engine writes timestamps: one letter or digit for each `_`. */
const WRITTEN = '____-__-__ __:__:__'

/** Decimals of seconds, by the types that have them. */
const DECIMALS: Readonly<Record<string, number>> = {
  TIME: 6,
  'TIME WITH TIME ZONE': 6,
  TIMESTAMP: 6,
  TIMESTAMPTZ: 6,
  TIMESTAMP_S: 0,
  TIMESTAMP_MS: 3,
  TIMESTAMP_NS: 9,
}

const FORMS: Readonly<Record<string, string>> = {
  DATE: `(?:${DAY_AND_CLOCK}|${INFINITE})`,
  TIME: `(?:${DAY}[ T])?${CLOCK}(?:${ZONE})?`,
  'TIME WITH TIME ZONE': `${CLOCK}(?:${ZONE})?`,
}
const TIMESTAMP_FORM = `(?:${DAY_AND_CLOCK}|${INFINITE})`

/** Whether values of a type are dates or times. */
export function isTemporal(type: string): boolean {
  return type === 'DATE' || type in DECIMALS
}

/** Whether values of a type are days and times without an offset. */
export function isWithoutZone(type: string): boolean {
  return /^TIMESTAMP(_M?S|_NS)?$/.test(type)
}

/** SQL that is true for a text that is none of a type, though the engine may read a part of it. */
export function isOtherTime(text: string, type: string): string {
  return `NOT regexp_full_match(${text}, '${FORMS[type] ?? TIMESTAMP_FORM}')`
}

/** SQL that is true for a text of which a type holds a part only. */
export function isCutTime(text: string, type: string): string {
  if (type === 'DATE') {
    const isMidnight = `regexp_matches(${text}, '[ T]0{1,2}:00(?::00?(?:\\.0*)?)?(?: ?(?:Z|UTC|[-+]00(?::?00)*))?$')`
    return `contains(${text}, ':') AND NOT ${isMidnight}`
  }
  const hasMore = (decimals: number) => `regexp_matches(${text}, '\\.[0-9]{${decimals}}[0-9]*[1-9]')`
  const isLong = hasMore(DECIMALS[type] ?? 6)
  if (type === 'TIME') return `${isLong} OR NOT regexp_full_match(${text}, '${CLOCK}')`
  // The engine reads an offset with no more than microseconds.
  return type === 'TIMESTAMP_NS' ? `${isLong} OR (${hasZone(text)} AND ${hasMore(6)})` : isLong
}

/** SQL that is quick to compute, and true for each text that the functions above tell, and for some others. */
export function mayBeOtherTime(text: string, value: string, type: string): string {
  const isRewritten = `CAST(${value} AS VARCHAR) <> ${text}`
  // Writing timestamps takes longer than reading them.
  if (type === 'TIMESTAMPTZ') return `(${text} >= '0' AND ${text} LIKE '${WRITTEN}+00') IS NOT TRUE`
  if (isWithoutZone(type))
    return `(${text} >= '0' AND ${text} LIKE '${WRITTEN}') IS NOT TRUE AND ${isRewritten}`
  return isRewritten
}

/** SQL of a text as a type without offsets: a text with one is read as its instant, in UTC. */
export function inUtc(text: string, type: string, cast: string): string {
  const instant = `${cast}(${cast}(${cast}(${text} AS TIMESTAMPTZ) AS TIMESTAMP) AS ${type})`
  return `CASE WHEN ${hasZone(text)} THEN ${instant} ELSE ${cast}(${text} AS ${type}) END`
}

function hasZone(text: string): string {
  return `regexp_matches(${text}, '${CLOCK}${ZONE}$')`
}

const CALENDAR =
  'y|yrs?|years?|mons?|months?|w|weeks?|d|days?|quarters?|decades?|century|centuries|millenni[a-z]*'

/** SQL that is true for a text of an interval with a part of a day, or of a longer time, whose length is not told. */
export function isOtherInterval(text: string): string {
  return `regexp_matches(${text}, '\\.[0-9]*[1-9][0-9]* *(?:${CALENDAR})\\b', 'i')`
}

/** SQL that is true for a text of an interval with more than microseconds. */
export function isCutInterval(text: string): string {
  return `regexp_matches(${text}, '\\.[0-9]{6}[0-9]*[1-9]')`
}
