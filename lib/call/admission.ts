import { randomUUID } from 'node:crypto'
import { AnalyticsError } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import { Phases, Turn, type Work } from '../flow/work.js'
import type { Caller, Clock, QuotaState, UsagePort } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { checkBudget } from './budget.js'
import type { Ports } from './port-calls.js'
import { rateLimited } from './quota-levels.js'
import {
  type AskedCall,
  askedNothing,
  type CallFilter,
  matches,
  type RunningCall,
  toldOf,
} from './running.js'
import { statementDigest } from './statement-digest.js'
import type { CallSpan, CallTracing } from './tracing.js'
import type { UnsentBytes } from './unsent.js'

/** The credentials of a call, and when to cancel it. */
export interface CallerRequest {
  /** The `Authorization` header as sent. */
  authorization: string | null
  /** Aborted when the caller has disconnected. */
  signal: AbortSignal
  /** Returns a header of the request by its lower-case name. Absent for calls that did not come over HTTP. */
  header?: (name: string) => string | null
  /**
   * Receives a function to call once the answer has been sent. Absent for calls in this process: nothing is
   * sent.
   */
  onUnsent?: (release: () => void) => void
}

/**
 * A call whose key and quota have been checked; `refused` is the failure that ends it, if any, and `snapshot`
 * what a call that succeeded has read.
 */
export interface Session extends CallerRequest, Work {
  callId: string
  /** `performance.now()` of its beginning. */
  startedAt: number
  caller: Caller | null
  quota: QuotaState | null
  refused: AnalyticsError | null
  asked: AskedCall
  /** Whether a statement of it counts among those that its organization runs at once. */
  runsStatement?: boolean
  snapshot?: Snapshot | undefined
  /** Ends the call, which then fails with this error. */
  end(error: AnalyticsError): void
  /** What {@link Session.end} was given. */
  endedBy?: AnalyticsError
  /** The trace of the call; null while nobody listens. */
  span: CallSpan | null
  /** Stops listening to whether the caller has left. */
  release?(): void
}

/** The end of a call that failed. `quota` is null when it failed before its quota was read. */
export interface CallFailure {
  ok: false
  error: AnalyticsError
  quota: QuotaState | null
}

/** What counts in the usage of the key. */
export interface UsageCount {
  rows: number
  bytes: number
}

/** A signed token that serves as a key has a few kilobytes; the headers of a request may have 16 KiB in Node. */
export const MAX_KEY_LENGTH = 8192
const NO_COUNT: UsageCount = { rows: 0, bytes: 0 }

/** Which rule a refused statement breaks, and where. */
type RefusedStatement = Partial<Record<'rule', string> & Record<'line' | 'column', number>>

/** What the admission of calls is built on. */
export interface AdmissionOptions {
  ports: Pick<Ports, 'keys' | 'quota' | 'budget'>
  unsent: UnsentBytes
  clock: Clock
}

/** Where calls are reported, and what is told of their statements. */
export interface Watchers {
  usage: UsagePort | undefined
  /** Whether events have the caller's SQL. */
  sqlInEvents: boolean
  /** Statements of calls that take this long are told by their digests, in milliseconds. */
  slowMs: number
  tracing: CallTracing | undefined
  onEvent: (event: AnalyticsEvent) => void
}

/**
 * Admits calls, whatever they ask for: checks key and quota before anything else, and reports how each call
 * ended.
 */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #watchers: Watchers
  readonly #turn = new Turn()
  readonly #running = new Set<Session>()

  constructor(options: AdmissionOptions, watchers: Watchers) {
    this.#options = options
    this.#watchers = watchers
  }

  /** Returns the caller behind an `Authorization` header. Throws UNAUTHENTICATED without a valid key. */
  async authenticate({ authorization, signal }: CallerRequest): Promise<Caller> {
    const key = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
    if (!key) throw unauthenticated('The call carries no API key. Send it as "Authorization: Bearer <key>".')
    if (key.length > MAX_KEY_LENGTH)
      throw unauthenticated(`The API key is too long: it has more than ${MAX_KEY_LENGTH} characters.`)
    const caller = await this.#options.ports.keys.authenticate(key, signal)
    if (!caller) throw unauthenticated('The API key is unknown, revoked or expired.')
    return caller
  }

  /** Checks the key and takes a unit of its quota, before the body of the request is read. */
  async admit(request: CallerRequest): Promise<Session> {
    const session = openSession(request)
    const { tracing } = this.#watchers
    session.span = tracing?.begin(session.startedAt, request.header ?? (() => null)) ?? null
    if (session.span === null) return this.#admitted(session, request)
    if (session.span.isRecording) session.phases.parts = []
    return session.span.run(() => this.#admitted(session, request))
  }

  async #admitted(session: Session, request: CallerRequest): Promise<Session> {
    const { ports, unsent } = this.#options
    this.#running.add(session) // also while ports are asked: it may be ended by then
    // Calls that arrive together go on together: one after the other, each finds the caches of the processor cold.
    await this.#turn.end()
    try {
      session.caller = await this.authenticate(request)
      session.quota = await ports.quota.take(session.caller, request.signal)
      if (!session.quota.allowed) throw rateLimited(session.quota)
      if (request.onUnsent) unsent.check(session.caller.ownerId)
      if (session.endedBy) throw session.endedBy
    } catch (cause) {
      session.refused = this.toError(cause)
    }
    session.phases.add('auth', performance.now() - session.startedAt)
    return session
  }

  /** The calls that run at this moment, the one that has run longest first. */
  running(): RunningCall[] {
    const now = { at: this.#options.clock.now(), since: performance.now() }
    return [...this.#running].filter(({ caller }) => caller !== null).map(session => toldOf(session, now))
  }

  /** Lets a statement of a call run, if the budget of its organization does: RATE_LIMITED or UNAVAILABLE otherwise. */
  async beginStatement(session: Session, organization: string, isExport: boolean): Promise<void> {
    const { budget } = this.#options.ports
    if (!budget) return
    const state = await budget.of(organization, session.signal)
    let atOnce = 0
    for (const each of this.#running)
      if (each.runsStatement && each.asked.organization === organization) atOnce += 1
    checkBudget(state, { atOnce, isExport })
    session.runsStatement = true
  }

  /** Ends the running calls that a filter matches, with an error; returns how many there were. */
  cancel(filter: CallFilter, error: AnalyticsError): number {
    const found = [...this.#running].filter(session => matches(session, filter))
    for (const session of found) session.end(error)
    return found.length
  }

  /**
   * Runs work of the host for an admitted caller, and reports it like a method of this name. Throws its
   * failure.
   */
  async perform<Result>(
    session: Session,
    name: string,
    work: (caller: Caller) => Promise<Result>,
  ): Promise<Result> {
    session.asked.method = name
    try {
      if (session.refused) throw session.refused
      const result = await work(session.caller as Caller)
      this.succeed(session)
      return result
    } catch (cause) {
      throw this.fail(session, cause).error
    }
  }

  /** Reports a call that succeeded. */
  succeed(session: Session, counted: UsageCount = NO_COUNT): void {
    this.#finish(session, 'OK', counted)
  }

  /** Reports a call that failed, in its method or before it. */
  fail(session: Session, cause: unknown): CallFailure {
    const error = session.endedBy ?? this.toError(cause)
    this.#finish(session, error.class, NO_COUNT, placeOf(error))
    return { ok: false, error, quota: session.quota }
  }

  /** Reports the download of an export that begins; `startedAt` is the `performance.now()` of its request. */
  downloaded(download: Pick<Session, 'caller' | 'startedAt' | 'asked'>, bytes: number): void {
    this.#finish({ ...download, callId: randomUUID(), phases: new Phases(), span: null }, 'OK', {
      rows: 0,
      bytes,
    })
  }

  /**
   * Converts a failure to the caller's error. A fault is INTERNAL: the host gets its cause, the caller a
   * reference.
   */
  toError(cause: unknown): AnalyticsError {
    if (cause instanceof AnalyticsError) return cause
    const reference = randomUUID()
    this.#watchers.onEvent({ type: 'fault', reference, cause })
    const message = 'The service failed. Quote the reference when you report it.'
    return new AnalyticsError('INTERNAL', message, { data: { reference }, cause })
  }

  #finish(
    session: Pick<
      Session,
      'callId' | 'startedAt' | 'caller' | 'asked' | 'phases' | 'release' | 'runsStatement' | 'span'
    >,
    outcome: string,
    counted: UsageCount,
    place: RefusedStatement = {},
  ): void {
    this.#running.delete(session as Session)
    session.release?.()
    const { callId, caller, phases } = session
    const { sql, ...asked } = session.asked
    const durationMs = performance.now() - session.startedAt
    const { spentMs: phasesMs, processorMs } = phases
    phases.takeProcessorMs()
    const call = { callId, ...asked, outcome, durationMs, phasesMs, processorMs, ...counted }
    const { onEvent, slowMs, sqlInEvents, usage } = this.#watchers
    const ofCaller = { keyId: caller?.keyId ?? null, ownerId: caller?.ownerId ?? null }
    const statement = sql !== undefined && durationMs >= slowMs ? { statement: statementDigest(sql) } : {}
    const told = sqlInEvents && sql !== undefined ? { sql } : {}
    const event = { type: 'call', ...call, ...ofCaller, ...place, ...statement, ...told } as const
    session.span?.end(event, phases.parts ?? [])
    onEvent(event)
    if (!caller) return
    const { clock, ports } = this.#options
    const used = { ...call, keyId: caller.keyId, ownerId: caller.ownerId, at: clock.now() }
    this.#tell('usage', () => usage?.record(used))
    const { organization, exportId } = asked
    if (!session.runsStatement || organization === null) return
    const spend = (engineMs: number, { rows, bytes }: UsageCount) => {
      if (engineMs + rows + bytes === 0) return
      const taken = { engineMs, exportRows: rows, exportBytes: bytes }
      this.#tell('budget', () => ports.budget?.spend(organization, taken))
    }
    spend(processorMs, exportId === undefined ? NO_COUNT : counted)
    // A process may go on for a moment after the caller has left.
    phases.onEnd = () => spend(phases.takeProcessorMs(), NO_COUNT)
  }

  /** Tells a port what has happened. A failure of the port is reported to `onEvent` and does not fail the call. */
  #tell(port: 'usage' | 'budget', tell: () => void | Promise<void>): void {
    const failed = (cause: unknown) => this.#watchers.onEvent({ type: 'dependency', port, cause })
    try {
      Promise.resolve(tell()).catch(failed)
    } catch (cause) {
      failed(cause)
    }
  }
}

/** A call that has begun. */
function openSession(request: CallerRequest): Session {
  const { signal: left } = request
  const ending = new AbortController()
  const leave = () => ending.abort(left.reason)
  if (left.aborted) leave()
  else left.addEventListener('abort', leave, { once: true })
  return {
    ...request,
    signal: ending.signal,
    callId: randomUUID(),
    startedAt: performance.now(),
    phases: new Phases(),
    caller: null,
    quota: null,
    refused: null,
    asked: askedNothing(),
    span: null,
    end(error) {
      this.endedBy ??= error
      ending.abort(error)
    },
    release: () => left.removeEventListener('abort', leave),
  }
}

function unauthenticated(message: string): AnalyticsError {
  return new AnalyticsError('UNAUTHENTICATED', message)
}

function placeOf(error: AnalyticsError): RefusedStatement {
  if (error.class !== 'INVALID_QUERY') return {}
  const { rule, line, column } = (error.data ?? {}) as RefusedStatement
  const place = line === undefined || column === undefined ? {} : { line, column }
  return { ...(rule === undefined ? {} : { rule }), ...place }
}
