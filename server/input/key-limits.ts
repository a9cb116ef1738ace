import type { CallerLimits, Catalogue, MethodName } from 'foldgate'
import { METHOD_NAMES, mayCall, nearest, rowLimitsOf } from 'foldgate/internal'
import { type KnownQuery, readValues, runnable } from './key-values.js'
import { isUuid, quoted } from './names.js'
import { Refusal } from './refusal.js'
import { type KnownRowLimits, readRows, tellRows } from './row-limits.js'

/** The limits of a key as people write them: a list for each, which limits nothing if it is empty. */
export interface WrittenLimits {
  /** UUIDs. */
  projects: readonly string[]
  /** `projects/query`, or `query`. */
  methods: readonly string[]
  /** `name` or `name@version`. */
  queries: readonly string[]
  relations: readonly string[]
  /** `name=value`: the value as JSON, or as it is. */
  parameters: readonly string[]
  /** `name=value,…`: values of a row limit, each as JSON, or as it is. */
  rows: readonly string[]
}

/** What the catalogue has, to find names that are misspelt and values that do not fit. */
export interface KnownNames {
  relations: readonly string[]
  queries: readonly KnownQuery[]
  rowLimits: KnownRowLimits
}

type Named = Pick<Catalogue, 'hierarchy' | 'summaries' | 'queries' | 'rowLimits'>

/** The names of a catalogue. */
export function namesOf({ summaries, queries, ...catalogue }: Named): KnownNames {
  return { relations: summaries.map(({ name }) => name), queries, rowLimits: rowLimitsOf(catalogue) }
}

/** Reads one limit, given those that were read before it. Throws a {@link Refusal} for what it cannot be. */
type ReadLimit<Limit extends keyof WrittenLimits> = (
  written: readonly string[],
  known: KnownNames | undefined,
  limits: CallerLimits,
) => NonNullable<CallerLimits[Limit]>

const READ: { [Limit in keyof WrittenLimits]: ReadLimit<Limit> } = {
  projects: written => written.map(readProject),
  methods: written => written.map(readMethod),
  queries: (written, known) => written.map(name => readQuery(name, known)),
  relations: (written, known) => written.map(name => readRelation(name, known)),
  parameters: (written, known, limits) =>
    readValues(written, limits.queries && known && runnable(limits, known.queries)),
  rows: (written, known) => readRows(written, known?.rowLimits),
}

/**
 * Reads the limits of a key; null when there are none. `refuse` gets the limit that is wrong and what to change. Without
 * `known`, names are not compared with those of the catalogue, nor values with its types.
 */
export function readLimits(
  written: WrittenLimits,
  refuse: (limit: keyof WrittenLimits, message: string) => void,
  known?: KnownNames,
): CallerLimits | null {
  const limits: Record<string, unknown> = {}
  for (const limit of Object.keys(READ) as (keyof WrittenLimits)[]) {
    const lines = written[limit].map(line => line.trim()).filter(line => line !== '')
    if (lines.length === 0) continue
    try {
      limits[limit] = READ[limit]([...new Set(lines)], known, limits)
    } catch (cause) {
      if (!(cause instanceof Refusal)) throw cause
      refuse(limit, cause.message)
    }
  }
  return Object.keys(limits).length === 0 ? null : limits
}

function readProject(text: string): string {
  const id = text.toLowerCase()
  if (isUuid(id)) return id
  throw new Refusal(`${quoted(text)} is not the id of a project: write the UUID that "projects/list" returns`)
}

function readMethod(text: string): MethodName {
  const found = METHOD_NAMES.find(name => name === text || name === `projects/${text}`)
  if (found) return found
  throw new Refusal(`There is no method ${quoted(text)}: the methods are ${METHOD_NAMES.join(', ')}`)
}

function readQuery(text: string, known: KnownNames | undefined): string {
  if (!/^[^@\s]+(@[^@\s]+)?$/.test(text))
    throw new Refusal(`${quoted(text)} is no named query: write its name, or name@version`)
  const names = known?.queries.flatMap(({ name, version }) => [name, `${name}@${version}`])
  if (!names || names.includes(text)) return text
  const near = nearest(text, names)
  const hint = near === null ? 'write a name that "queries.json" describes' : `did you mean ${quoted(near)}?`
  throw new Refusal(`The catalogue has no named query ${quoted(text)}: ${hint}`)
}

function readRelation(name: string, known: KnownNames | undefined): string {
  if (!known || known.relations.includes(name)) return name
  const near = nearest(name, known.relations)
  const hint =
    near === null ? 'write a name that "projects/describe" returns' : `did you mean ${quoted(near)}?`
  throw new Refusal(`The catalogue has no relation ${quoted(name)}: ${hint}`)
}

/** What people who give a key values should know when it can send SQL; null when they limit all that it runs. */
export function warningOfValues(limits: CallerLimits | null): string | null {
  if (!limits?.parameters) return null
  const sendsSql = (['projects/query', 'projects/export'] as const).some(method =>
    mayCall({ only: limits }, method),
  )
  if (!sendsSql) return null
  return 'Values limit named queries alone: this key can send SQL of its own, which they do not limit.'
}

/** The limits of a key in a few words, of each what it lists. */
export function describeLimits(limits: CallerLimits): [limit: string, items: string[]][] {
  const { parameters, rows, ...lists } = limits
  // A newer server may have written limits that are no lists: they close the key, and are told nevertheless.
  const told = Object.entries(lists).map(([limit, items]): [string, string[]] => [
    limit,
    Array.isArray(items) ? items.map(String) : [JSON.stringify(items)],
  ])
  if (parameters)
    told.push([
      'parameters',
      Object.entries(parameters).map(([name, value]) => `${name}=${JSON.stringify(value)}`),
    ])
  if (rows) told.push(['rows', tellRows(rows)])
  return told
}
