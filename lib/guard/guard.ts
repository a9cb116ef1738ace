import { createHash } from 'node:crypto'
import { AnalyticsError } from '../errors.js'
import { JobProcess, ProcessDied } from '../process/parent.js'
import type { Verdict } from './refusal.js'

/** A statement that passed: what runs, what it reads, and whether its rows may differ from run to run. */
export interface CheckedStatement {
  /** The caller's own text, without a trailing semicolon. */
  statement: string
  relations: readonly string[]
  volatile: boolean
}

/** Checks texts in a process of its own; refusals are INVALID_QUERY that says what to write instead. */
export interface Guard {
  check(sql: string): Promise<CheckedStatement>
  ready(): Promise<void>
  close(): Promise<void>
}

const MEMORY_LIMIT_BYTES = 768 * 1024 ** 2
const DEADLINE_MS = 5_000
const CACHED_VERDICTS = 4_096

/** Starts the guard; `relations` are the names that statements may use. */
export function openGuard(relations: Iterable<string>, folder: string): Guard {
  const settings = { relations: [...relations] }
  const script = new URL('./process.js', import.meta.url)
  const memoryLimitBytes = MEMORY_LIMIT_BYTES
  const start = () => new JobProcess<unknown>({ script, folder, settings, memoryLimitBytes, serialization: 'json' })
  let process = start()
  let closed = false
  let last: Promise<unknown> = Promise.resolve()
  const verdicts = new Map<string, Verdict>()

  const ask = async (sql: string): Promise<Verdict> => {
    if (!process.alive && !closed) process = start()
    // A process that never came up says nothing of the text.
    await process.ready.catch(cause => {
      throw unavailable(cause)
    })
    const deadline = setTimeout(() => process.kill(), DEADLINE_MS)
    try {
      return await process.run<Verdict>({ sql })
    } catch (cause) {
      if (cause instanceof ProcessDied && !closed) return TOO_COMPLEX
      throw unavailable(cause)
    } finally {
      clearTimeout(deadline)
    }
  }

  return {
    async check(sql) {
      // Over UTF-16 units: as UTF-8, half a surrogate pair would be the same text as U+FFFD.
      const key = createHash('sha256').update(sql, 'utf16le').digest('base64')
      let verdict = verdicts.get(key)
      if (!verdict) {
        // One text at a time: should the parser die, it costs the text that killed it and no other.
        const turn = last.then(() => ask(sql))
        last = turn.catch(() => {})
        verdict = await turn
      }
      verdicts.delete(key)
      verdicts.set(key, verdict)
      if (verdicts.size > CACHED_VERDICTS) verdicts.delete(verdicts.keys().next().value as string)
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

function unavailable(cause: unknown): AnalyticsError {
  return new AnalyticsError('UNAVAILABLE', 'The service cannot read statements now. Try again later.', { cause })
}

function refusal(verdict: Extract<Verdict, { ok: false }>): AnalyticsError {
  const { ok: _, message, ...data } = verdict
  const place = data.line === undefined ? '' : ` (line ${data.line}, column ${data.column})`
  const text = `${message.replace(/\.$/, '')}${place}.${data.hint ? ` ${data.hint}` : ''}`
  return new AnalyticsError('INVALID_QUERY', text, { data })
}
