import { AssertionError } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { isDeepStrictEqual } from 'node:util'
import { type LimitOptions, resolveLimits } from '../../call/limits.js'
import {
  type CheckedStatement,
  type Engine,
  EngineFailure,
  type ExportedFile,
  type FailureKind,
  type OpenEngine,
  type PageRange,
  Phases,
  type PointOfView,
  type RowRange,
  type RowsPage,
  type WrittenChunk,
} from '../../engine/port.js'
import { AnalyticsError } from '../../errors.js'
import type { AnalyticsEvent } from '../../events.js'
import type { ExportFormat } from '../../model.js'
import { must, mustBe, shown, wanted, within } from '../contract.js'
import { CATALOGUE, publish, type Tonnes } from './assessment.js'

/** Time that an engine has to end what is over its time or no longer wanted. */
export const GRACE_MS = 2_000

/** Kinds that callers see as UNAVAILABLE. */
export const UNAVAILABLE: readonly FailureKind[] = ['no-connection', 'building', 'unbuilt', 'view', 'snapshot', 'disk']

/** Runs for minutes on any machine. */
export const SLOW =
  'SELECT sum(sin(a.n * b.n + c.n)) AS total FROM readings a CROSS JOIN readings b CROSS JOIN readings c'

/** How a statement is run. */
interface Run extends Partial<PointOfView> {
  timeoutMs?: number
  signal?: AbortSignal
  phases?: Phases
}

/** An engine that a check has opened, with a point of view to begin with. */
export class Bench {
  readonly events: AnalyticsEvent[] = []
  readonly engine: Engine
  /** Folder of the snapshots. */
  readonly folder: string
  /** The point of view of statements that are run without one. */
  readonly point: PointOfView
  readonly #patienceMs: number

  private constructor(open: OpenEngine, folder: string, point: PointOfView, limits: LimitOptions, patienceMs: number) {
    this.folder = folder
    this.point = point
    this.#patienceMs = patienceMs
    const onEvent = (event: AnalyticsEvent) => void this.events.push(event)
    this.engine = open({ catalogue: CATALOGUE, limits: resolveLimits(limits), onEvent })
  }

  static async open(open: OpenEngine, folder: string, limits: LimitOptions, patienceMs: number): Promise<Bench> {
    const bench = new Bench(open, folder, await newPoint(folder), limits, patienceMs)
    await bench.answered('ready()', bench.engine.ready()).catch(async cause => {
      await bench.engine.close()
      throw cause
    })
    return bench
  }

  /** The whole of a new project, in net view. */
  newPoint(tonnes: Tonnes, projectId?: string, snapshotId?: string): Promise<PointOfView> {
    return newPoint(this.folder, tonnes, projectId, snapshotId)
  }

  /** Waits for a call that must succeed. */
  async answered<Value>(verb: string, call: Promise<Value>): Promise<Value> {
    const { value, cause } = await this.#within(
      verb,
      call.then(value => ({ value, cause: null }), wrapped),
    )
    must(cause === null, `${verb} rejected with ${told(cause)}`, 'answer')
    return value as Value
  }

  /** Waits for a call that must fail in one of these ways, and tell nothing of the machine. */
  async failure(verb: string, call: Promise<unknown>, ...kinds: readonly FailureKind[]): Promise<EngineFailure> {
    const outcome = await this.#within(
      verb,
      call.then(() => null, wrapped),
    )
    must(outcome !== null, `${verb} answered`, `reject with an EngineFailure of the kind ${kinds.join(' or ')}`)
    const { cause } = outcome
    must(
      cause instanceof EngineFailure && kinds.includes(cause.kind),
      `${verb} rejected with ${told(cause)}`,
      `reject with an EngineFailure of the kind ${kinds.join(' or ')}`,
    )
    mustNotTell(verb, cause)
    return cause
  }

  #within<Value>(verb: string, call: Promise<Value>): Promise<Value> {
    return within(this.#patienceMs, verb, call)
  }

  async check(sql: string): Promise<CheckedStatement> {
    return this.answered(
      `check() of ${shown(sql)}`,
      this.engine.check(sql, { organization: 'north', ownerId: 'ada', signal: wanted() }),
    )
  }

  /** Fails unless the check refuses a statement. */
  async mustRefuse(sql: string): Promise<AnalyticsError> {
    const verb = `check() of ${shown(sql)}`
    const checking = this.engine.check(sql, { organization: 'north', ownerId: 'ada', signal: wanted() })
    const outcome = await this.#within(
      verb,
      checking.then(() => null, wrapped),
    )
    must(outcome !== null, `${verb} accepted it`, 'refuse all but one SELECT over the catalogue')
    const { cause } = outcome
    must(
      cause instanceof AnalyticsError && cause.class === 'INVALID_QUERY' && cause.message !== '',
      `${verb} rejected with ${told(cause)}`,
      'reject with an AnalyticsError of the class INVALID_QUERY that says why',
    )
    mustNotTell(verb, cause)
    return cause
  }

  /** A page of a statement's rows, as the engine gives it. */
  async page(sql: string, range: Partial<PageRange> = {}, run: Run = {}): Promise<RowsPage> {
    const [point, work] = this.prepared(run)
    return this.engine.rows(point, await this.check(sql), { offset: 0, limit: 10_000, ...range }, work)
  }

  /** The rows of a page. Fails unless it has as many as it says. */
  async rows(sql: string, range: Partial<PageRange> = {}, run: Run = {}): Promise<Record<string, unknown>[]> {
    const page = await this.answered(`rows() of ${shown(sql)}`, this.page(sql, range, run))
    return rowsOf(page, sql)
  }

  async mustGive(sql: string, expected: readonly object[], run: Run = {}, when = ''): Promise<void> {
    mustHaveRows(`rows() of ${shown(sql)}${when}`, await this.rows(sql, {}, run), expected)
  }

  async write(sql: string, range: Partial<RowRange> = {}, run: Run = {}): Promise<WrittenChunk> {
    const [point, work] = this.prepared(run)
    return this.engine.write(point, await this.check(sql), { offset: 0, limit: 10_000, ...range }, work)
  }

  async export(sql: string, format: ExportFormat, run: Run & { escapes?: boolean } = {}): Promise<ExportedFile> {
    const [point, work] = this.prepared(run)
    const form = { format, escapesFormulas: run.escapes ?? false }
    return this.engine.export(point, await this.check(sql), work, form)
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

  async close(): Promise<void> {
    await this.answered('close()', this.engine.close())
  }
}

async function newPoint(folder: string, tonnes: Tonnes = 8, projectId: string = randomUUID(), snapshotId?: string) {
  const { snapshot } = await publish(folder, projectId, tonnes, snapshotId)
  return { snapshot, organization: 'north', entityId: null, ownershipView: 'net' as const }
}

/** The rows of a page. Fails unless it is JSON in UTF-8, and has as many rows as it says. */
export function rowsOf(page: RowsPage, sql: string): Record<string, unknown>[] {
  const text = Buffer.from(page.json).toString()
  const rows = parsed(`rows() of ${shown(sql)}`, `[${text}]`) as Record<string, unknown>[]
  must(page.rows === rows.length, `rows() told of ${page.rows} rows and gave ${rows.length}`, 'tell how many it gives')
  return rows
}

/** The rows of a file with a JSON object per line. */
export async function linesOf(verb: string, path: string): Promise<Record<string, unknown>[]> {
  const lines = (await readFile(path, 'utf8')).split('\n')
  must(lines.pop() === '', `${verb} wrote a last line without an end`, 'end every line')
  return lines.map(line => parsed(verb, line) as Record<string, unknown>)
}

function parsed(verb: string, text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    must(false, `${verb} gave ${shown(text)}`, 'give rows as JSON')
  }
  return value
}

/** Fails unless rows have the expected values, in the expected order. */
export function mustHaveRows(verb: string, found: readonly object[], expected: readonly object[]): void {
  const alike = isDeepStrictEqual(found.map(Object.entries), expected.map(Object.entries))
  if (!alike) mustBe(verb, differing(found, expected), differing(expected, found))
}

/** The rows that come with the first one that differs, or all if that is the first of them. */
function differing(rows: readonly object[], others: readonly object[]): readonly object[] {
  const at = rows.findIndex(
    (row, index) => !isDeepStrictEqual(Object.entries(row), Object.entries(others[index] ?? {})),
  )
  return at < 0 ? rows.slice(others.length - 1) : rows.slice(at)
}

/** Fails when a failure names a path of this machine. */
function mustNotTell(verb: string, { message }: Error): void {
  const path = /(?:^|[\s"'`(=:])(?:[A-Za-z]:\\|\/[\w.-]+\/)/.exec(message)
  const told = path ?? [homedir(), tmpdir(), process.cwd()].find(name => name.length > 1 && message.includes(name))
  must(!told, `${verb} failed with the text ${shown(message)}`, 'name no path of the machine')
}

/** Boxes what a call rejects with, which may be anything; a check within the call that has failed is the failure. */
function wrapped(cause: unknown) {
  if (cause instanceof AssertionError) throw cause
  return { value: undefined, cause }
}

/** A failure in a message. */
export function told(cause: unknown): string {
  if (cause instanceof EngineFailure) return `an EngineFailure of the kind ${cause.kind}: ${cause.message}`
  if (cause instanceof AnalyticsError) return `an AnalyticsError of the class ${cause.class}: ${cause.message}`
  return String(cause)
}
