import { mayCall, mayQuery } from '../call/caller.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { describedCatalogue } from '../catalogue/described.js'
import type { Engine } from '../engine/port.js'
import { AnalyticsError } from '../errors.js'
import type { SealProblem } from '../model.js'
import type { Caller } from '../ports.js'
import type { SnapshotManifest } from '../snapshots/manifest.js'
import { type Core, cannotCall } from './method.js'

/**
 * The catalogue as a key can read it: `summaries`, by which callers find relations, lacks those that its limits exclude,
 * and no relation refers to them. Their definitions stay, since relations that the key can read may be made of them.
 */
export function readableCatalogue(caller: Pick<Caller, 'only'>, catalogue: Catalogue): Catalogue {
  if (caller.only?.relations === undefined) return catalogue
  const isReadable = (name: string) => mayQuery(caller, name)
  const relations = new Map(
    [...catalogue.relations].map(([name, relation]) => {
      const references = Object.entries(relation.references).filter(([, target]) =>
        isReadable(target.split('.')[0] as string),
      )
      return [name, { ...relation, references: Object.fromEntries(references) }]
    }),
  )
  const summaries = catalogue.summaries.filter(({ name }) => isReadable(name))
  return { ...catalogue, relations, summaries, examples: [] } // an engine has the examples in its dialect
}

/** Those statements of the service itself that read no relation beyond the limits of a key. */
export async function readable<Statement extends { sql: string }>(
  caller: Pick<Caller, 'only'>,
  engine: Engine,
  statements: readonly Statement[],
): Promise<readonly Statement[]> {
  if (caller.only?.relations === undefined) return statements
  const read = await Promise.all(statements.map(({ sql }) => relationsRead(engine, sql)))
  return statements.filter((_, at) => read[at]?.every(name => mayQuery(caller, name)))
}

/** Relations that each such statement reads, by engine and statement: neither changes while a service runs. */
const known = new WeakMap<Engine, Map<string, readonly string[]>>()

/** Relations that a statement reads; null when the engine refuses it. Throws when the engine cannot tell. */
async function relationsRead(engine: Engine, sql: string): Promise<readonly string[] | null> {
  const ofEngine = known.get(engine) ?? new Map<string, readonly string[]>()
  known.set(engine, ofEngine)
  const found = ofEngine.get(sql)
  if (found) return found
  try {
    const asker = { organization: '', ownerId: '', signal: new AbortController().signal }
    const { relations } = await engine.check(sql, asker)
    ofEngine.set(sql, relations)
    return relations
  } catch (cause) {
    if (cause instanceof AnalyticsError && cause.class === 'INVALID_QUERY') return null
    throw cause
  }
}

/**
 * What sealing found wrong and let pass, without what tells of tables that a key cannot read; nothing of it for a key
 * with row limits, since it counts and names rows.
 */
export function readableWarnings(
  caller: Pick<Caller, 'only'>,
  { tables, warnings = [] }: SnapshotManifest,
): SealProblem[] {
  if (caller.only?.rows) return []
  const hidden = new Set(tables.map(({ name }) => name).filter(name => !mayQuery(caller, name)))
  if (hidden.size === 0) return warnings
  return warnings.filter(
    ({ table, message }) => mayQuery(caller, table) && !message.match(/\w+/g)?.some(word => hidden.has(word)),
  )
}

/** Returns `catalogue.json` for each caller. */
export function catalogueDocument({ catalogue, engines }: Pick<Core, 'catalogue' | 'engines'>) {
  const whole = describedCatalogue(catalogue, engines.examples)
  return async (caller: Caller): Promise<object> => {
    if (!mayCall(caller, 'projects/describe')) throw cannotCall()
    if (caller.only?.relations === undefined) return whole
    const examples = await readable(caller, engines.main, engines.main.examples)
    return describedCatalogue(readableCatalogue(caller, catalogue), examples)
  }
}
