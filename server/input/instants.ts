/** RFC 3339 date, time and offset, without leap seconds, which have no epoch milliseconds. */
const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Parses an RFC 3339 date-time to epoch milliseconds; null when it is invalid. */
export function parseInstant(text: string): number | null {
  const [, date, time, fraction = '', offset] = RFC_3339.exec(text) ?? []
  if (date === undefined || time === undefined || offset === undefined) return null
  // Without this check, 30 February would roll over to 1 or 2 March.
  const day = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return null
  return Date.parse(`${date}T${time}${fraction.slice(0, 4)}${offset.toUpperCase()}`)
}

/** Formats an instant as RFC 3339 in UTC. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** Returns the day of an instant in UTC as `YYYY-MM-DD`. */
export function formatDay(epochMs: number): string {
  return formatInstant(epochMs).slice(0, 10)
}
