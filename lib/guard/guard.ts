import { createHash } from 'node:crypto'
import { AnalyticsError } from '../errors.js'
import { JobProcess, ProcessDied } from '../process/parent.js'
import { Queue, type Waiting } from '../queue.js'
import { waitFor } from '../waiting.js'
import type { Verdict } from './refusal.js'

/** On whose behalf a text is read, and until when it is wanted. */
export interface Asker {
  /** Those of one owner wait behind each other; whoever else comes waits behind one of theirs at most, and the one at work. */
  ownerId: string
  signal: AbortSignal
}

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
  /** Whether its process says within this time that it is there, or is at work, which ends in time. */
  answers(withinMs: number): Promise<boolean>
  close(): Promise<void>
}

/** What a guard needs. */
export interface GuardOptions {
  /** The process that it asks, see `engine/worker/guard-main.ts`. */
  script: URL
  /** Names that statements may use. */
  relations: Iterable<string>
  /** Where the process lives. */
  folder: string
  /** How long a text waits for its turn. */
  waitMs: number
  /** Told why a text could not be read, which is none of its doing. */
  onDown?: (cause: unknown) => void
}

const MEMORY_LIMIT_BYTES = 768 * 1024 ** 2
const DEADLINE_MS = 5_000
const CACHED_VERDICTS = 4_096
/** Processes that a text may find dead, which says nothing of it, before it is told that it cannot be read now. */
const MAX_ATTEMPTS = 3

/** Starts the guard. */
export function openGuard({ script, relations, folder, waitMs, onDown = () => {} }: GuardOptions): Guard {
  const settings = { relations: [...relations] }
  const memoryLimitBytes = MEMORY_LIMIT_BYTES
  const start = () => new JobProcess<unknown>({ script, folder, settings, memoryLimitBytes, serialization: 'json' })
  let process = start()
  let closed = false
  const revive = () => {
    if (!process.alive && !closed) process = start()
  }
  // One text at a time: should the parser die, it costs the text that killed it and no other.
  const queue = new Queue<Waiting, void>()
  let isBusy = false
  const next = () => {
    isBusy ||= queue.startNext(
      () => true,
      () => {},
    )
  }
  const verdicts = new Map<string, Verdict>()

  const unavailable = (cause: unknown, signal: AbortSignal) => {
    if (!closed && !signal.aborted) onDown(cause)
    return new AnalyticsError('UNAVAILABLE', 'The service cannot read statements now. Try again later.', { cause })
  }

  const ask = async (sql: string, signal: AbortSignal): Promise<Verdict> => {
    for (let attempt = 1; ; attempt++) {
      revive()
      try {
        await waitFor<void>({ signal, ms: waitMs }, (take, fail) => void process.ready.then(take, fail))
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || attempt === MAX_ATTEMPTS) throw unavailable(cause, signal)
        continue // one that never came up says nothing of the text
      }
      const deadline = setTimeout(() => process.kill(), DEADLINE_MS)
      try {
        return await process.run<Verdict>({ sql })
      } catch (cause) {
        if (!(cause instanceof ProcessDied) || closed) throw unavailable(cause, signal)
        if (cause.started) return TOO_COMPLEX
        if (attempt === MAX_ATTEMPTS) throw unavailable(cause, signal)
      } finally {
        clearTimeout(deadline)
      }
    }
  }

  const inTurn = async ({ ownerId, signal }: Asker, read: () => Promise<Verdict> | Verdict): Promise<Verdict> => {
    await queue.join({ group: ownerId, line: '', signal, ms: waitMs }, next).catch(cause => {
      throw new AnalyticsError('UNAVAILABLE', 'Too many statements wait to be read. Try again later.', { cause })
    })
    try {
      return await read() // another call may have asked the same meanwhile
    } finally {
      isBusy = false
      next()
    }
  }

  const keep = (key: string, verdict: Verdict) => {
    if (verdict !== TOO_COMPLEX) verdicts.set(key, verdict) // else the machine may have been to blame
    if (verdicts.size > CACHED_VERDICTS) verdicts.delete(verdicts.keys().next().value as string)
    return verdict
  }

  return {
    async check(sql, asker) {
      // Over UTF-16 units: as UTF-8, half a surrogate pair would be the same text as U+FFFD.
      const key = createHash('sha256').update(sql, 'utf16le').digest('base64')
      const known = () => verdicts.get(key)
      const verdict = known() ?? (await inTurn(asker, async () => known() ?? keep(key, await ask(sql, asker.signal))))
      if (!verdict.ok) throw refusal(verdict)
      return { statement: sql.slice(0, verdict.length), relations: verdict.relations, volatile: verdict.volatile }
    },
    ready: () => process.ready,
    async answers(withinMs) {
      revive() // nobody may ask it anything before this holds
      return isBusy || process.answers(withinMs)
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
