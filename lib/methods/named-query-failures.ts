import { EngineFailure } from '../engine/port.js'
import { AnalyticsError } from '../errors.js'
import type { GuardRule, RunRule } from '../guard/refusal.js'

/** A named query as it runs for a caller. */
export interface NamedRun {
  /** Its name and version. */
  name: string
  /** Columns that it declares: their SQL types by their names. */
  columns: Readonly<Record<string, string>> | undefined
  /** Values that the caller has sent. */
  sent: readonly unknown[]
  /** Whether the key has limits, and so may not read all rows that the query reads. */
  isLimited: boolean
}

/** Rules that are about rows, and not about the SQL of a query. */
const OF_ROWS: ReadonlySet<unknown> = new Set<GuardRule | RunRule>(['row-size', 'volatile'])

/**
 * The failure of a named query as its caller is told it. A query that cannot run, whatever values are sent, is a mistake
 * of the catalogue, and so is one that fails without values of the caller. Other failures stay as they are.
 */
export function failureOfNamed(run: NamedRun, thrown: unknown): unknown {
  if (thrown instanceof AnalyticsError) {
    const isOfSql = /^INVALID_(QUERY|PARAMS)$/.test(thrown.class) && !OF_ROWS.has(thrown.data?.rule)
    return isOfSql ? mistakeIn(run, thrown.message, thrown) : thrown
  }
  if (!(thrown instanceof EngineFailure) || (thrown.kind !== 'query' && thrown.kind !== 'assertion'))
    return thrown
  if (thrown.atBinding || run.sent.length === 0)
    return mistakeIn(run, String(thrown.cause ?? thrown.message), thrown)
  const told = run.isLimited ? null : withoutNames(thrown.message, run.sent)
  const message = told === null ? 'The query failed with these values.' : `The query failed: ${told}`
  const data = { rule: 'engine' satisfies RunRule }
  return new AnalyticsError('INVALID_QUERY', message, { data, cause: thrown })
}

function mistakeIn({ name }: NamedRun, said: string, cause: unknown): EngineFailure {
  const told = `The SQL of the query "${name}" of the catalogue cannot run: ${said}`
  return new EngineFailure('relation', told, { cause })
}

const COLUMN = / when casting from source column .*$/s
const QUOTED = /'([^']*)'|"([^"]*)"/g

/** What the engine says, if all that it quotes are values of the caller; null if it may quote the SQL. */
function withoutNames(message: string, sent: readonly unknown[]): string | null {
  const said = message.replace(COLUMN, '')
  const values = new Set(sent.flat(Number.POSITIVE_INFINITY).map(value => String(plain(value))))
  const quoted = [...said.matchAll(QUOTED)].map(([, single, double]) => single ?? double ?? '')
  return quoted.every(text => values.has(text)) ? said : null
}

/** A value without the type that may be sent with it. */
function plain(sent: unknown): unknown {
  return typeof sent === 'object' && sent !== null && 'value' in sent ? sent.value : sent
}
