/**
 * SQL for dates, times and intervals in ISO 8601. DuckDB's own text is used wherever it agrees. Years outside 0 to 9999
 * have a sign and at least six digits, as in ECMAScript.
 */

const PLAIN_FROM = "DATE '0001-01-01'"
const PLAIN_TO = "DATE '9999-12-31'"

/** `2026-11-20`, `+012026-11-20`, `infinity`, with `quote` before and after it. */
export function date(value: string, quote = ''): string {
  const isPlain = `${value} BETWEEN ${PLAIN_FROM} AND ${PLAIN_TO}`
  const text = `CAST(${value} AS VARCHAR)`
  const general = `CASE WHEN isinf(${value}) THEN ${text} ELSE concat(${year(value)}, strftime(${value}, '-%m-%d')) END`
  return either(isPlain, text, general, { value, quote })
}

/**
 * `2026-11-20T01:02:03.456` and `suffix`; `infinity` without it; with `quote` before and after it. `type` is the SQL type
 * of `value`.
 */
export function timestamp(value: string, type: string, suffix: string, quote = ''): string {
  const end = suffix ? `, '${suffix}'` : ''
  // Others lose nanoseconds in a TIME, or cannot be compared when infinite.
  const isPlain = type === 'TIMESTAMP' ? `${value} BETWEEN TIMESTAMP '0001-01-01' AND TIMESTAMP '9999-12-31'` : 'false'
  // Infinity has no TIME, and DuckDB may evaluate every branch of a CASE.
  const finite = `CASE WHEN isfinite(${value}) THEN ${value} END`
  const plain = `CAST(${finite} AS DATE), 'T', CAST(${finite} AS TIME)${end}`
  return either(isPlain, plain, anyTimestamp(value, type, suffix), { value, quote })
}

/** The parts of `plain` where it holds, `general` elsewhere; the plain case is by far the more frequent one. */
function either(
  isPlain: string,
  plain: string,
  general: string,
  { value, quote }: { value: string; quote: string },
): string {
  const quoted = (parts: string) => (quote ? `concat('${quote}', ${parts}, '${quote}')` : `concat(${parts})`)
  return `CASE WHEN ${isPlain} THEN ${quoted(plain)} WHEN ${value} IS NOT NULL THEN ${quoted(general)} END`
}

function anyTimestamp(value: string, type: string, suffix: string): string {
  const finite = `CASE WHEN isfinite(${value}) THEN ${value} END`
  const day = `CAST(${finite} AS DATE)`
  const end = suffix ? `, '${suffix}'` : ''
  return (
    `CASE WHEN isinf(${value}) THEN CASE WHEN ${value} < ${type} '1970-01-01' THEN '-infinity' ELSE 'infinity' END ` +
    `WHEN ${day} BETWEEN ${PLAIN_FROM} AND ${PLAIN_TO} THEN concat(replace(CAST(${value} AS VARCHAR), ' ', 'T')${end}) ` +
    `WHEN ${value} IS NOT NULL ` +
    `THEN concat(${year(day)}, strftime(${day}, '-%m-%dT'), CAST(CAST(${finite} AS TIME) AS VARCHAR)${end}) END`
  )
}

/** `01:02:03+02:00`, with the offset's seconds if it has any; DuckDB's own text loses them. */
export function timeWithZone(value: string): string {
  const offset = `datepart('timezone', ${value})`
  const part = (number: string) => `lpad(CAST(${number} AS VARCHAR), 2, '0')`
  const sign = `CASE WHEN ${offset} < 0 THEN '-' ELSE '+' END`
  const seconds = `CASE WHEN ${offset} % 60 <> 0 THEN concat(':', ${part(`abs(${offset}) % 60`)}) ELSE '' END`
  const [hours, minutes] = [part(`abs(${offset}) // 3600`), part(`abs(${offset}) // 60 % 60`)]
  const text = `concat(CAST(CAST(${value} AS TIME) AS VARCHAR), ${sign}, ${hours}, ':', ${minutes}, ${seconds})`
  return `CASE WHEN ${value} IS NOT NULL THEN ${text} END` // concat() reads NULL as an empty text
}

/** `P1Y2M3DT4H5M6.5S`, each part with its own sign; `PT0S` for an empty interval. */
export function interval(value: string): string {
  const part = (name: string, letter: string) =>
    `CASE WHEN datepart('${name}', ${value}) <> 0 THEN concat(datepart('${name}', ${value}), '${letter}') ELSE '' END`
  const days = `concat(${part('year', 'Y')}, ${part('month', 'M')}, ${part('day', 'D')})`
  const times = `concat(${part('hour', 'H')}, ${part('minute', 'M')}, ${seconds(value)})`
  const text = `rtrim(concat('P', ${days}, 'T', ${times}), 'T')`
  return `CASE WHEN ${value} IS NOT NULL THEN coalesce(nullif(${text}, 'P'), 'PT0S') END`
}

/** Seconds of an interval, without trailing zeros; DuckDB's `microsecond` part includes the whole seconds. */
function seconds(value: string): string {
  const micros = `datepart('microsecond', ${value})`
  const sign = `CASE WHEN ${micros} < 0 THEN '-' ELSE '' END`
  const fraction = `rtrim(concat('.', lpad(CAST(abs(${micros}) % 1000000 AS VARCHAR), 6, '0')), '0')`
  return `CASE WHEN ${micros} <> 0 THEN concat(${sign}, abs(${micros}) // 1000000, rtrim(${fraction}, '.'), 'S') ELSE '' END`
}

function year(day: string): string {
  const number = `year(${day})`
  return (
    `CASE WHEN ${number} BETWEEN 0 AND 9999 THEN lpad(CAST(${number} AS VARCHAR), 4, '0') ` +
    `ELSE concat(CASE WHEN ${number} < 0 THEN '-' ELSE '+' END, lpad(CAST(abs(${number}) AS VARCHAR), ` +
    `CAST(greatest(6, length(CAST(abs(${number}) AS VARCHAR))) AS INTEGER), '0')) END`
  )
}
