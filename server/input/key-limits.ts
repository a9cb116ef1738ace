import { AnalyticsError, type CallerLimits, type Catalogue, type MethodName } from 'foldgate'
import { METHOD_NAMES, nearest, readParameters } from 'foldgate/internal'
import { isUuid, quoted } from './names.js'
import { Refusal } from './refusal.js'

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
}

/** What the catalogue has, to find names that are misspelt. */
export interface KnownNames {
  relations: readonly string[]
  /** Each as `name` and as `name@version`. */
  queries: readonly string[]
}

/** The names of a catalogue. */
export function namesOf({ summaries, queries }: Pick<Catalogue, 'summaries' | 'queries'>): KnownNames {
  return {
    relations: summaries.map(({ name }) => name),
    queries: [...new Set(queries.flatMap(({ name, version }) => [name, `${name}@${version}`]))],
  }
}

/** Reads one limit. Throws a {@link Refusal} for what it cannot be. */
type Read<Limit extends keyof WrittenLimits> = (
  written: readonly string[],
  known: KnownNames | undefined,
) => NonNullable<CallerLimits[Limit]>

const READ: { [Limit in keyof WrittenLimits]: Read<Limit> } = {
  projects: written => written.map(readProject),
  methods: written => written.map(readMethod),
  queries: (written, known) => written.map(name => readQuery(name, known)),
  relations: (written, known) => written.map(name => readRelation(name, known)),
  parameters: readValues,
}

/**
 * Reads the limits of a key; null when there are none. `refuse` gets the limit that is wrong and what to change. Without
 * `known`, names of relations and queries are not compared with those of the catalogue.
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
      limits[limit] = READ[limit]([...new Set(lines)], known)
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
  if (!known || known.queries.includes(text)) return text
  const near = nearest(text, known.queries)
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

function readValues(written: readonly string[]): NonNullable<CallerLimits['parameters']> {
  const values = new Map<string, unknown>()
  for (const line of written) {
    const at = line.indexOf('=')
    const name = line.slice(0, at).trim()
    if (at < 1) throw new Refusal(`${quoted(line)} is no value of a parameter: write name=value`)
    if (values.has(name)) throw new Refusal(`The parameter ${quoted(name)} has two values: give it one`)
    values.set(name, readValue(line.slice(at + 1).trim()))
  }
  const parameters = Object.fromEntries(values)
  try {
    readParameters(parameters)
  } catch (cause) {
    if (!(cause instanceof AnalyticsError)) throw cause
    throw new Refusal(cause.message.replace(/\.$/, ''))
  }
  return parameters as NonNullable<CallerLimits['parameters']>
}

/** JSON as what it is, so that 17 is a number; anything else as a string. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The limits of a key in a few words, of each what it lists. */
export function describeLimits(limits: CallerLimits): [limit: string, items: string[]][] {
  const { parameters, ...lists } = limits
  const told = Object.entries(lists).map(([limit, items]): [string, string[]] => [limit, [...items]])
  if (!parameters) return told
  const values = Object.entries(parameters).map(([name, value]) => `${name}=${JSON.stringify(value)}`)
  return [...told, ['parameters', values]]
}
