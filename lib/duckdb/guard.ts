import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Asker, CheckedStatement } from '../call/work.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { AnalyticsError } from '../errors.js'
import { JobProcess, ProcessDied } from '../flow/parent.js'
import { Places } from '../flow/places.js'
import { RecentMap } from '../flow/recent.js'
import { waitForWork } from '../flow/waiting.js'
import type { Verdict } from '../guard/refusal.js'
import type { Sandbox } from '../sandbox/sandbox.js'
import { World } from '../sandbox/world.js'

/** Checks statements in a separate process. */
export interface Guard {
  /**
   * Throws INVALID_QUERY for a refused statement, with a hint where one is known, and UNAVAILABLE when the
   * statement waits longer than `waitMs` or the process cannot take it.
   */
  check(sql: string, asker: Asker): Promise<CheckedStatement>
  ready(): Promise<void>
  /** Whether the process answers within `withinMs`, or is checking a statement, which a deadline ends. */
  answers(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/** Options of {@link openGuard}. */
export interface GuardOptions {
  /** Script of the process, see `child/guard/main.ts`. */
  script: URL
  /** Names of the relations that statements may read. */
  relations: Iterable<string>
  /** Functions that statements may call besides those that are there by default. Default: none. */
  functions?: Iterable<string>
  /** Columns that the catalogue declares, to tell those that are reserved words. Default: none. */
  columns?: Iterable<string>
  /** Folder in which the process has its own. */
  folder: string
  /** The walls that the process runs behind. */
  sandbox: Sandbox
  /** How long a statement may wait in the queue, and then for the process to start. */
  waitMs: number
  /** Called with the cause when a check fails for a reason other than the statement. */
  onDown?: (cause: unknown) => void
}

const MEMORY_LIMIT_BYTES = 768 * 1024 ** 2
const DEADLINE_MS = 5_000
const CACHED_VERDICTS = 4_096
/**
 * Processes to try before UNAVAILABLE: one that dies before it takes a statement says nothing about the
 * statement.
 */
const MAX_ATTEMPTS = 3

/** Names of the columns that a catalogue declares for relations that callers see. */
export function declaredColumns({ summaries, relations }: Catalogue): Set<string> {
  return new Set(summaries.flatMap(({ name }) => Object.keys(relations.get(name)?.columns ?? {})))
}

/** Starts the guard's process. */
export function openGuard({
  script,
  relations,
  functions = [],
  columns = [],
  folder,
  sandbox,
  waitMs,
  onDown = () => {},
}: GuardOptions): Guard {
  const settings = { relations: [...relations], functions: [...functions], columns: [...columns] }
  const options = {
    script: { url: script, packages: ['@duckdb/node-api'] },
    world: new World(join(folder, 'guard')),
    sandbox,
    settings,
    memoryLimitBytes: MEMORY_LIMIT_BYTES,
    serialization: 'json',
  } as const
  const start = () => new JobProcess<unknown>(options)
  let process = start()
  let closed = false
  const revive = () => {
    if (!process.alive && !closed) process = start()
  }
  // One statement at a time: a statement that crashes the parser fails no other check.
  const place = new Places(1)
  const verdicts = new RecentMap<string, Verdict>(CACHED_VERDICTS)

  const unavailable = (cause: unknown, signal: AbortSignal) => {
    if (!closed && !signal.aborted) onDown(cause)
    return new AnalyticsError('UNAVAILABLE', 'The service cannot read statements now. Try again later.', {
      cause,
    })
  }

  const ask = async (sql: string, { signal, relations }: Asker): Promise<Verdict> => {
    for (let attempt = 1; ; attempt++) {
      revive()
      try {
        await waitForWork({ signal, ms: waitMs }, process.ready)
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || attempt === MAX_ATTEMPTS) throw unavailable(cause, signal)
        continue // a process that never started says nothing about the statement
      }
      const deadline = setTimeout(() => process.kill(), DEADLINE_MS)
      try {
        return await process.run<Verdict>({ sql, relations })
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || closed) throw unavailable(cause, signal)
        if (cause.started) return TOO_COMPLEX
        if (attempt === MAX_ATTEMPTS) throw unavailable(cause, signal)
      } finally {
        clearTimeout(deadline)
      }
    }
  }

  const inTurn = async (
    { organization, ownerId, signal }: Asker,
    read: () => Promise<Verdict> | Verdict,
  ): Promise<Verdict> => {
    const leave = await place
      .take({ group: organization, subgroup: ownerId, signal, ms: waitMs })
      .catch(cause => {
        throw new AnalyticsError('UNAVAILABLE', 'Too many statements wait to be read. Try again later.', {
          cause,
        })
      })
    try {
      return await read()
    } finally {
      leave()
    }
  }

  const keep = (key: string, verdict: Verdict) => {
    if (verdict !== TOO_COMPLEX) verdicts.set(key, verdict) // that one may be due to a slow machine
    return verdict
  }

  return {
    async check(sql, asker) {
      // By organization, since the time of an answer would tell whether another one has sent the statement.
      // Hash UTF-16 units: in UTF-8, half a surrogate pair would hash like U+FFFD.
      const key = createHash('sha256')
        .update(`${JSON.stringify([asker.organization, asker.relations])}\0`)
        .update(sql, 'utf16le')
        .digest('base64')
      const known = () => verdicts.get(key)
      // Look again after the wait: another call may have had the same statement checked.
      const verdict =
        known() ?? (await inTurn(asker, async () => known() ?? keep(key, await ask(sql, asker))))
      if (!verdict.ok) throw refusal(verdict)
      return {
        statement: sql.slice(0, verdict.length),
        relations: verdict.relations,
        parameters: verdict.parameters,
        volatile: verdict.volatile,
      }
    },
    ready: () => process.ready,
    async answers(withinMs) {
      revive() // calls may come only once this is true, so none would restart the process
      return place.free === 0 || process.answers(withinMs)
    },
    async close() {
      closed = true
      process.kill()
      await process.exited
    },
  }
}

const TOO_COMPLEX: Verdict = {
  ok: false,
  rule: 'complexity',
  message: 'The statement is too complex to be read.',
  hint: 'Simplify it.',
}

function refusal(verdict: Extract<Verdict, { ok: false }>): AnalyticsError {
  const { ok: _, message, ...data } = verdict
  const place = data.line === undefined ? '' : ` (line ${data.line}, column ${data.column})`
  const text = `${message.replace(/\.$/, '')}${place}.${data.hint ? ` ${data.hint}` : ''}`
  return new AnalyticsError('INVALID_QUERY', text, { data })
}
