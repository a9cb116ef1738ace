/** Date, time and offset as RFC 3339 writes them; leap seconds have no epoch milliseconds and are left out. */
const RFC_3339 =
  /^(\d{4}-\d\d-\d\d)[Tt ]((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)(\.\d+)?([Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Epoch milliseconds of an RFC 3339 date-time, or null when the text is none. */
export function parseInstant(text: string): number | null {
  const [, date, time, fraction = '', offset] = RFC_3339.exec(text) ?? []
  if (date === undefined || time === undefined || offset === undefined) return null
  // A day that the month does not have would roll over into the next one.
  const day = Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(day) || !new Date(day).toISOString().startsWith(date)) return null
  return Date.parse(`${date}T${time}${fraction.slice(0, 4)}${offset.toUpperCase()}`)
}

/** An instant for people and programs alike: RFC 3339 in UTC. */
export function formatInstant(epochMs: number): string {
  return new Date(epochMs).toISOString()
}

/** The day of an instant in UTC, as `YYYY-MM-DD`. */
export function formatDay(epochMs: number): string {
  return formatInstant(epochMs).slice(0, 10)
}
