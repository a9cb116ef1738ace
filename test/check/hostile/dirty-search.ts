import { DuckDBInstance } from '@duckdb/node-api'
import { openCheck } from '#lib/duckdb/child/guard/check.js'
import { EXTRA_FUNCTIONS } from '#lib/guard/extras.js'
import type { BoundParameter } from '#lib/values/parameters.js'
import { BoundStatements } from './bound-statements.js'
import { type DirtyStatement, DirtyStatements } from './dirty.js'
import { type DirtyOutcome, DirtyWorker } from './dirty-worker.js'

/** A statement that read memory which it had not written, or broke the engine. */
export interface Finding {
  about: string
  sql: string
  what: string
}

/** Every such statement runs a second time in the same process, over what the one before has left. */
const AGAIN_EVERY = 4

/** What a search has seen. */
export interface Search {
  statements: number
  answered: number
  refused: number
  over: number
  /** Functions with an answer, and the others. */
  covered: number
  uncovered: string[]
  findings: Finding[]
}

/** How long a search is: it ends at a time by `performance.now()`, or after a number of statements. */
export interface SearchLength {
  endsAt: number
  statements?: number
  /** Whether statements have values in place of some literals. */
  isBound?: boolean
}

/**
 * Runs random statements that the guard accepts, each in a process whose fresh
 * memory is zero and in one whose fresh memory is not. An answer that differs, a string that is not UTF-8, an
 * assertion, a failure without a class, or a process that ends is a finding.
 */
export async function searchDirty(
  seed: number,
  { endsAt, statements: most = Number.POSITIVE_INFINITY, isBound = false }: SearchLength,
): Promise<Search> {
  const statements = await (isBound ? BoundStatements : DirtyStatements).open(seed)
  const check = await openGuardCheck()
  const [clean, dirty] = [new DirtyWorker('zero'), new DirtyWorker('junk')]
  const covered = new Set<string>()
  const found: Search = { statements: 0, answered: 0, refused: 0, over: 0, covered: 0, uncovered: [], findings: [] }
  try {
    while (performance.now() < endsAt && found.statements < most) {
      const { sql, about, values = [] }: DirtyStatement & { values?: readonly BoundParameter[] } = statements.next()
      found.statements += 1
      const verdict = await check(sql)
      if (!verdict.ok) {
        found.refused += 1
        continue
      }
      const [zero, junk] = await Promise.all([clean.run(sql, values), dirty.run(sql, values)])
      const outcomes = [zero, junk, ...(found.statements % AGAIN_EVERY === 0 ? [await dirty.run(sql, values)] : [])]
      if (outcomes.some(outcome => 'over' in outcome)) found.over += 1
      const what = findingIn(outcomes, verdict.volatile)
      if (what) found.findings.push({ about, sql: [sql, ...values.map(toldValue)].join('\n'), what })
      else if (outcomes.every(outcome => 'rows' in outcome)) {
        found.answered += 1
        covered.add(about)
      }
    }
  } finally {
    await Promise.all([clean.close(), dirty.close()])
  }
  const uncovered = [...statements.functions].filter(name => !covered.has(name)).sort()
  return { ...found, covered: covered.size, uncovered }
}

/** What is wrong with the outcomes of one statement; null if nothing is. */
export function findingIn(outcomes: readonly DirtyOutcome[], isVolatile: boolean): string | null {
  for (const outcome of outcomes) if ('failed' in outcome && outcome.isFinding) return outcome.failed
  if (isVolatile || outcomes.some(outcome => 'over' in outcome)) return null
  const told = outcomes.map(outcome => JSON.stringify(outcome))
  return new Set(told).size === 1 ? null : `answers differ: ${told.map(each => each.slice(0, 100)).join(' / ')}`
}

function toldValue({ name, type, value }: BoundParameter): string {
  const written = typeof value === 'object' ? String(value) : value
  return `$${name} ${JSON.stringify(type)} ${String(written).slice(0, 60)}`
}

async function openGuardCheck() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '1', storage_compatibility_version: 'latest' })
  const connection = await instance.connect()
  const prepared = await connection.prepare(
    'SELECT system.main.json_serialize_sql($1::VARCHAR), system.main.json_serialize_sql($2::VARCHAR)',
  )
  return openCheck({ relations: [], functions: EXTRA_FUNCTIONS }, async texts => {
    prepared.bind(texts)
    const row = (await prepared.run()).getChunk(0).getRowValues(0)
    return [String(row[0]), String(row[1])]
  })
}
