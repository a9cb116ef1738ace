/**
 * Throws a TypeError for values of `parameters` that JSON has no form for, or another one: NaN would be sent as null,
 * and a Date as a string, which the engine would cast to the type of what it is compared with.
 */
export function checkValues(method: string, params: object): void {
  const { parameters } = params as { parameters?: unknown }
  if (typeof parameters !== 'object' || parameters === null) return
  for (const [name, value] of Object.entries(parameters)) {
    const hint = hintFor(value)
    if (hint !== null) throw new TypeError(`${method}: the parameter "${name}" has no form in JSON: ${hint}.`)
  }
}

/** What to send in place of a value, or of a part of it; null if it can be sent. */
function hintFor(value: unknown): string | null {
  if (typeof value === 'number' && !Number.isFinite(value))
    return `send { type: 'DOUBLE', value: '${value}' }`
  if (typeof value === 'bigint') return `send { type: 'BIGINT', value: '${value}' }`
  if (value instanceof Date)
    return "send { type: 'TIMESTAMP WITH TIME ZONE', value: date.toISOString() }, or a DATE as 'YYYY-MM-DD'"
  if (typeof value !== 'object' || value === null) return null
  for (const part of Object.values(value)) {
    const hint = hintFor(part)
    if (hint !== null) return hint
  }
  return null
}
