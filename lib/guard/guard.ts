import { createHash } from 'node:crypto'
import { AnalyticsError } from '../errors.js'
import { JobProcess, ProcessDied } from '../process/parent.js'
import type { Verdict } from './refusal.js'
import { type Asker, NoTurn, Turns } from './turns.js'

/** A statement that passed: what runs, what it reads, and whether its rows may differ from run to run. */
export interface CheckedStatement {
  /** The caller's own text, without a trailing semicolon. */
  statement: string
  relations: readonly string[]
  volatile: boolean
}

/** Checks texts in a process of its own; refusals are INVALID_QUERY that says what to write instead. */
export interface Guard {
  /** A text that waits too long for its turn is UNAVAILABLE. */
  check(sql: string, asker: Asker): Promise<CheckedStatement>
  ready(): Promise<void>
  close(): Promise<void>
}

const MEMORY_LIMIT_BYTES = 768 * 1024 ** 2
const DEADLINE_MS = 5_000
const CACHED_VERDICTS = 4_096
/** Processes that a text may find dead, which says nothing of it, before it is told that it cannot be read now. */
const MAX_ATTEMPTS = 3

/**
 * Starts the guard; `relations` are the names that statements may use, and a text waits for its turn for `waitMs`. Why a
 * text could not be read, which is none of its doing, `onDown` is told.
 */
export function openGuard(
  relations: Iterable<string>,
  folder: string,
  waitMs: number,
  onDown: (cause: unknown) => void = () => {},
): Guard {
  const settings = { relations: [...relations] }
  const script = new URL('./process.js', import.meta.url)
  const memoryLimitBytes = MEMORY_LIMIT_BYTES
  const start = () => new JobProcess<unknown>({ script, folder, settings, memoryLimitBytes, serialization: 'json' })
  let process = start()
  let closed = false
  // One text at a time: should the parser die, it costs the text that killed it and no other.
  const turns = new Turns(waitMs)
  const verdicts = new Map<string, Verdict>()

  const unavailable = (cause: unknown) => {
    if (!closed) onDown(cause)
    return new AnalyticsError('UNAVAILABLE', 'The service cannot read statements now. Try again later.', { cause })
  }

  const ask = async (sql: string): Promise<Verdict> => {
    for (let attempt = 1; ; attempt++) {
      if (!process.alive && !closed) process = start()
      // A process that never came up says nothing of the text.
      await process.ready.catch(cause => {
        throw unavailable(cause)
      })
      const deadline = setTimeout(() => process.kill(), DEADLINE_MS)
      try {
        return await process.run<Verdict>({ sql })
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || closed) throw unavailable(cause)
        if (cause.started) return TOO_COMPLEX
        if (attempt === MAX_ATTEMPTS) throw unavailable(cause)
      } finally {
        clearTimeout(deadline)
      }
    }
  }

  const keep = (key: string, verdict: Verdict) => {
    if (verdict === TOO_COMPLEX) return // the machine may have been to blame
    verdicts.delete(key)
    verdicts.set(key, verdict)
    if (verdicts.size > CACHED_VERDICTS) verdicts.delete(verdicts.keys().next().value as string)
  }

  return {
    async check(sql, asker) {
      // Over UTF-16 units: as UTF-8, half a surrogate pair would be the same text as U+FFFD.
      const key = createHash('sha256').update(sql, 'utf16le').digest('base64')
      // Once its turn has come, another call may have asked the same.
      const find = async () => verdicts.get(key) ?? ask(sql)
      const verdict = verdicts.get(key) ?? (await turns.take(asker, find).catch(noTurn))
      keep(key, verdict)
      if (!verdict.ok) throw refusal(verdict)
      return { statement: sql.slice(0, verdict.length), relations: verdict.relations, volatile: verdict.volatile }
    },
    ready: () => process.ready,
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

function noTurn(cause: unknown): never {
  if (!(cause instanceof NoTurn)) throw cause
  throw new AnalyticsError('UNAVAILABLE', 'Too many statements wait to be read. Try again later.', { cause })
}

function refusal(verdict: Extract<Verdict, { ok: false }>): AnalyticsError {
  const { ok: _, message, ...data } = verdict
  const place = data.line === undefined ? '' : ` (line ${data.line}, column ${data.column})`
  const text = `${message.replace(/\.$/, '')}${place}.${data.hint ? ` ${data.hint}` : ''}`
  return new AnalyticsError('INVALID_QUERY', text, { data })
}
