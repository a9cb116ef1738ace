import { AssertionError } from 'node:assert'
import { readFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import type { AnalyticsEvent } from 'foldgate'
import { AnalyticsError } from 'foldgate'
import type { Asker } from 'foldgate/engine'
import {
  type ChunkRange,
  type Engine,
  EngineFailure,
  type FailureKind,
  type OpenEngine,
  Phases,
  type PointOfView,
  type RowsPage,
  type Statement,
  type WrittenChunk,
} from 'foldgate/engine'
import type { BoundResult, ExportedFile, ExportFormat, PageRange } from 'foldgate/internal'
import { type LimitOptions, resolveLimits } from 'foldgate/internal'
import { must, mustBe, shown, wanted, within } from '#contracts/contract.js'
import { CATALOGUE } from './assessment.js'

/** Time that an engine has to end what is over its time or no longer wanted. */
export const GRACE_MS = 2_000

/** How a statement is run. */
export interface Run extends Partial<PointOfView> {
  timeoutMs?: number
  signal?: AbortSignal
  phases?: Phases
}

/** A statement that the engine must accept, or one that it has accepted, with the values that it runs with. */
export type SqlOrStatement = string | Statement

/** An engine that a check has opened, with a point of view to begin with. */
export class Bench {
  readonly events: AnalyticsEvent[] = []
  readonly engine: Engine
  /** Folder of the snapshots. */
  readonly folder: string
  /** The point of view of statements that are run without one. */
  readonly point: PointOfView
  readonly #patienceMs: number

  constructor(open: OpenEngine, folder: string, point: PointOfView, limits: LimitOptions, patienceMs: number) {
    this.folder = folder
    this.point = point
    this.#patienceMs = patienceMs
    const onEvent = (event: AnalyticsEvent) => void this.events.push(event)
    this.engine = open({ catalogue: CATALOGUE, limits: resolveLimits(limits), onEvent })
  }

  /** Waits for a call that must succeed. */
  async answered<Value>(verb: string, call: Promise<Value>): Promise<Value> {
    const outcome = await this.#outcome(verb, call)
    if ('cause' in outcome) must(false, `${verb} rejected with ${told(outcome.cause)}`, 'answer')
    return (outcome as { value: Value }).value
  }

  /** Waits for a call that must fail in one of these ways, and tell nothing of the machine. */
  async failure(verb: string, call: Promise<unknown>, ...kinds: readonly FailureKind[]): Promise<EngineFailure> {
    const should = `reject with an EngineFailure of the kind ${kinds.join(' or ')}`
    const cause = await this.#rejected(verb, 'answered', call, should)
    const isOne = cause instanceof EngineFailure && kinds.includes(cause.kind)
    must(isOne, `${verb} rejected with ${told(cause)}`, should)
    mustNotTell(verb, cause)
    return cause
  }

  async #rejected(verb: string, did: string, call: Promise<unknown>, should: string): Promise<unknown> {
    const outcome = await this.#outcome(verb, call)
    must('cause' in outcome, `${verb} ${did}`, should)
    return outcome.cause
  }

  /** What a call answers, or rejects with. A check within the call that fails is a failure of the check. */
  #outcome<Value>(verb: string, call: Promise<Value>): Promise<{ value: Value } | { cause: unknown }> {
    const rejected = (cause: unknown) => {
      if (cause instanceof AssertionError) throw cause
      return { cause }
    }
    return within(
      this.#patienceMs,
      verb,
      call.then(value => ({ value }), rejected),
    )
  }

  check(sql: string, signal = wanted(), limits: Pick<Asker, 'readable'> = {}): Promise<Statement> {
    return this.engine.check(sql, { organization: 'north', ownerId: 'ada', signal, ...limits })
  }

  /** What the engine runs of a statement. */
  async accepted(sql: SqlOrStatement): Promise<Statement> {
    return typeof sql === 'string' ? this.answered(`check() of ${shown(sql)}`, this.check(sql)) : sql
  }

  /** Fails unless the check refuses a statement. */
  async mustRefuse(sql: string): Promise<void> {
    const verb = `check() of ${shown(sql)}`
    const cause = await this.#rejected(verb, 'accepted it', this.check(sql), 'refuse all but one SELECT')
    const isRefusal = cause instanceof AnalyticsError && cause.class === 'INVALID_QUERY' && cause.message !== ''
    must(isRefusal, `${verb} rejected with ${told(cause)}`, 'reject with the class INVALID_QUERY, and say why')
    mustNotTell(verb, cause)
  }

  /** A page of a statement's rows, as the engine gives it. */
  async page(sql: SqlOrStatement, range: Partial<PageRange> = {}, run: Run = {}): Promise<RowsPage> {
    const [point, work] = this.prepared(run)
    return this.engine.rows(point, await this.accepted(sql), { offset: 0, limit: 10_000, ...range }, work)
  }

  /** The rows of a page. Fails unless it has as many as it says. */
  async rows(sql: SqlOrStatement, range: Partial<PageRange> = {}, run: Run = {}): Promise<Record<string, unknown>[]> {
    const text = typeof sql === 'string' ? sql : sql.sql
    const page = await this.answered(`rows() of ${shown(text)}`, this.page(sql, range, run))
    return rowsOf(page, text)
  }

  async mustGive(sql: string, expected: readonly object[], run: Run = {}, when = ''): Promise<void> {
    mustHaveRows(`rows() of ${shown(sql)}${when}`, await this.rows(sql, {}, run), expected)
  }

  async bind(sql: SqlOrStatement, run: Run = {}): Promise<BoundResult> {
    const [point, work] = this.prepared(run)
    return this.engine.bind(point, await this.accepted(sql), work)
  }

  async write(sql: SqlOrStatement, range: Partial<ChunkRange> = {}, run: Run = {}): Promise<WrittenChunk> {
    const [point, work] = this.prepared(run)
    return this.engine.write(point, await this.accepted(sql), { offset: 0, limit: 10_000, ...range }, work)
  }

  async export(
    sql: SqlOrStatement,
    format: ExportFormat,
    run: Run & { escapes?: boolean } = {},
  ): Promise<ExportedFile> {
    const [point, work] = this.prepared(run)
    const form = { format, escapesFormulas: run.escapes ?? false }
    return this.engine.export(point, await this.accepted(sql), work, form)
  }

  /** The point of view and the work of a run. */
  prepared({ timeoutMs = 60_000, signal = wanted(), phases = new Phases(), ...view }: Run) {
    return [
      { ...this.point, ...view },
      { timeoutMs, signal, phases },
    ] as const
  }

  /** Waits for something that the engine does in the background. */
  async until(holds: () => boolean, did: string, should: string): Promise<void> {
    const end = performance.now() + this.#patienceMs
    while (!holds()) {
      must(performance.now() < end, did, should)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
  }

  close(): Promise<void> {
    return this.answered('close()', this.engine.close())
  }
}

/** The rows of a page. Fails unless it is JSON in UTF-8, and has as many rows as it says. */
export function rowsOf(page: RowsPage, sql: string): Record<string, unknown>[] {
  const text = Buffer.from(page.json).toString()
  const rows = parsed(`rows() of ${shown(sql)}`, `[${text}]`) as Record<string, unknown>[]
  must(
    page.rows === rows.length,
    `rows() reported ${page.rows} rows and gave ${rows.length}`,
    'report how many it gives',
  )
  return rows
}

/** The rows of a file with a JSON object per line. */
export async function linesOf(verb: string, path: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  must(lines.pop() === '', `${verb} wrote a last line without an end`, 'end every line')
  return lines.map(line => parsed(verb, line) as Record<string, unknown>)
}

function parsed(verb: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return must(false, `${verb} gave ${shown(text)}`, 'give rows as JSON')
  }
}

/**
 * Fails unless rows have the expected values, in the expected order; shows them from the first that differs.
 */
export function mustHaveRows(verb: string, found: readonly object[], expected: readonly object[]): void {
  let at = 0
  const areAlike = () => isDeepStrictEqual(Object.entries(found[at] ?? {}), Object.entries(expected[at] ?? {}))
  while (at < Math.max(found.length, expected.length) && areAlike()) at += 1
  mustBe(verb, found.slice(at), expected.slice(at))
}

/** Fails when a failure names a path of this machine. */
function mustNotTell(verb: string, { message }: Error): void {
  const path = /(?:^|[\s"'`(=:])(?:[A-Za-z]:\\|\/[\w.-]+\/)/.exec(message)
  const told = path ?? [homedir(), tmpdir(), process.cwd()].find(name => name.length > 1 && message.includes(name))
  must(!told, `${verb} failed with the message ${shown(message)}`, 'name no path of the machine')
}

/** A failure in a message. */
function told(cause: unknown): string {
  if (cause instanceof EngineFailure) return `an EngineFailure of the kind ${cause.kind}: ${cause.message}`
  if (cause instanceof AnalyticsError) return `an AnalyticsError of the class ${cause.class}: ${cause.message}`
  return String(cause)
}
