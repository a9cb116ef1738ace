import { AnalyticsError } from 'foldgate'
import { type Asker, EngineFailure } from 'foldgate/engine'
import { locate, RecentMap } from 'foldgate/internal'
import type { TrinoClient } from '../protocol/client.js'
import { tenantOf } from '../relations/schemas.js'
import { wrapped } from './check-statement.js'
import { SPEAKS_DIALECT } from './refusal.js'

/** Statements of which it is known that they stand on their own. */
const KNOWN_STATEMENTS = 4096

/**
 * Has the cluster parse statements, as a user who may read nothing, inside the wrapper: SHOW, PREPARE, WITH
 * SESSION and all else that is no query is no query there either. What the statement names is not looked at:
 * that depends on the snapshot.
 */
export class Syntax {
  readonly #client: TrinoClient
  readonly #nobody: string
  readonly #waitMs: number
  readonly #known = new RecentMap<string, true>(KNOWN_STATEMENTS)

  constructor(client: TrinoClient, nobody: string, waitMs: number) {
    this.#client = client
    this.#nobody = nobody
    this.#waitMs = waitMs
  }

  /**
   * Throws INVALID_QUERY for a statement that is not one query, and UNAVAILABLE when the cluster does not
   * answer.
   */
  async check(statement: string, { organization, signal }: Asker): Promise<void> {
    // By organization, since the time of an answer would tell whether another one has sent the statement.
    const known = `${organization}\0${statement}`
    if (this.#known.get(known)) return
    try {
      await this.#client.rows({
        sql: `EXPLAIN (TYPE VALIDATE) ${wrapped(statement)}`,
        user: this.#nobody,
        schema: this.#nobody,
        source: `foldgate/${tenantOf(organization)}`,
        statement,
        linesBefore: 1,
        signal,
        queueMs: this.#waitMs,
        timeoutMs: this.#waitMs,
      })
    } catch (cause) {
      throwUnlessParsed(statement, cause)
    }
    this.#known.set(known, true)
  }
}

/**
 * Failures of statements that have been parsed: they name what the user may not read, or what does not exist.
 */
const PARSED = new Set(['query', 'view'])

function throwUnlessParsed(statement: string, cause: unknown): void {
  if (!(cause instanceof EngineFailure)) throw cause
  const isSyntax = /^(SYNTAX_ERROR|STACK_OVERFLOW|QUERY_TEXT_TOO_LONG)\b/.test(
    String((cause.cause as Error)?.message),
  )
  if (isSyntax) {
    const place = cause.offset === undefined ? undefined : locate(statement, cause.offset)
    const at = place ? ` (line ${place.line}, column ${place.column})` : ''
    throw new AnalyticsError('INVALID_QUERY', `${cause.message}${at}.`, {
      data: { rule: 'syntax', ...place, hint: SPEAKS_DIALECT },
      cause,
    })
  }
  const isUnread = /cannot (execute|impersonate)/i.test(String((cause.cause as Error)?.message))
  if (PARSED.has(cause.kind) && !isUnread) return
  throw new AnalyticsError('UNAVAILABLE', 'The service cannot read statements now. Try again later.', {
    cause,
  })
}
