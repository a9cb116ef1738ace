import { AnalyticsError, type CallerLimits } from 'foldgate'
import { expectedOf, MOST_ROW_LIMIT_VALUES, nearest, parseType, readParameters } from 'foldgate/internal'
import { quoted } from './names.js'
import { Refusal } from './refusal.js'

type Rows = NonNullable<CallerLimits['rows']>
type Value = Rows[string][number]

/** The row limits of a catalogue by their names, each with the SQL type of its values. */
export type KnownRowLimits = ReadonlyMap<string, { readonly type: string }>

/**
 * Reads values of row limits, each line written as `name=value,…`; the lines of one name add up. Values have the types
 * of `known`, the row limits of the catalogue; without it, they are numbers, booleans or strings. Throws a
 * {@link Refusal} for a name that the catalogue does not have, and for a value that is none of its type.
 */
export function readRows(written: readonly string[], known: KnownRowLimits | undefined): Rows {
  const rows = new Map<string, Set<Value>>()
  for (const line of written) {
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    if (at < 1) throw new Refusal(`${quoted(line)} is no value of a row limit: write name=value`)
    const type = known && typeOf(name, known)
    const values = rows.get(name) ?? new Set()
    for (const item of itemsOf(`,${line.slice(at + 1)}`, line)) values.add(readItem(item, name, type))
    if (values.size > MOST_ROW_LIMIT_VALUES)
      throw new Refusal(
        `The row limit ${quoted(name)} has more than ${MOST_ROW_LIMIT_VALUES} values: write fewer`,
      )
    rows.set(name, values)
  }
  return Object.fromEntries([...rows].map(([name, values]) => [name, [...values]]))
}

/** Values of row limits as they can be written, each of them as JSON. */
export function tellRows(rows: Rows): string[] {
  return Object.entries(rows).map(
    ([name, values]) => `${name}=${values.map(value => JSON.stringify(value)).join(',')}`,
  )
}

/** The row limits of a catalogue with their types, in words. */
export function namesOfRowLimits(known: KnownRowLimits): string {
  return [...known].map(([name, { type }]) => `${name} (${type})`).join(', ')
}

function typeOf(name: string, known: KnownRowLimits): string {
  const found = known.get(name)
  if (found) return found.type
  const none = `The catalogue has no row limit ${quoted(name)}`
  const near = nearest(name, known.keys())
  if (near !== null) throw new Refusal(`${none}: did you mean ${quoted(near)}?`)
  throw new Refusal(`${none}: it has ${known.size > 0 ? namesOfRowLimits(known) : 'none at all'}`)
}

/** A comma, and an item: a JSON string, or characters without a comma. */
const ITEM = /,\s*("(?:[^"\\]|\\.)*"\s*|[^\s",][^,]*)(?=,|$)/y

/** The items of a text, each after a comma. */
function itemsOf(text: string, line: string): string[] {
  const items: string[] = []
  ITEM.lastIndex = 0
  do {
    const [, item] = ITEM.exec(text) ?? []
    if (item === undefined)
      throw new Refusal(
        `${quoted(line)} has no list of values: write name=value,value, and "…" around a value that is empty, has a ` +
          'comma or begins with a quote',
      )
    items.push(item.trim())
  } while (ITEM.lastIndex < text.length)
  return items
}

function readItem(item: string, name: string, type: string | undefined): Value {
  const forms = formsOf(item)
  if (type === undefined) return forms[0]
  const found = forms.find(form => isOf(type, form))
  if (found !== undefined) return found
  // The types of row limits are scalar.
  const expected = expectedOf(parseType(type) as Parameters<typeof expectedOf>[0])
  throw new Refusal(`${quoted(item)} is no value of the row limit ${quoted(name)}, which must be ${expected}`)
}

/** What an item can be: a string if it is in quotes, otherwise a number or boolean that JSON writes so, or a string. */
function formsOf(item: string): [Value, ...Value[]] {
  if (item.startsWith('"')) return [readString(item)]
  try {
    const value: unknown = JSON.parse(item)
    const isPlain = typeof value === 'number' || typeof value === 'boolean'
    // A number that JSON writes in another way may have been rounded.
    return isPlain && JSON.stringify(value) === item ? [value, item] : [item]
  } catch {
    return [item]
  }
}

function readString(item: string): string {
  try {
    return JSON.parse(item)
  } catch {
    throw new Refusal(`${quoted(item)} is no string of JSON`)
  }
}

function isOf(type: string, value: Value): boolean {
  try {
    readParameters({ value: { type, value } })
    return true
  } catch (cause) {
    if (cause instanceof AnalyticsError) return false
    throw cause
  }
}
