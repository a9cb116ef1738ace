import { randomUUID } from 'node:crypto'
import { AnalyticsError } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import { Phases, Turn, type Work } from '../flow/work.js'
import type { Caller, Clock, ProjectRecord, QuotaState, UsagePort, UsageRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import type { Ports } from './port-calls.js'
import { rateLimited } from './quota-levels.js'
import type { UnsentBytes } from './unsent.js'

/** The credentials of a call, and when to cancel it. */
export interface CallerRequest {
  /** The `Authorization` header as sent. */
  authorization: string | null
  /** Aborted when the caller has disconnected. */
  signal: AbortSignal
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
  startedAt: number
  caller: Caller | null
  quota: QuotaState | null
  refused: AnalyticsError | null
  snapshot?: Snapshot | undefined
}

/** The end of a call that failed. `quota` is null when it failed before its quota was read. */
export interface CallFailure {
  ok: false
  error: AnalyticsError
  quota: QuotaState | null
}

/** What a call asked for, as far as its params could be read. */
export interface RequestedCall {
  method: string
  projectId: string | null
  /** Known once the project was found and the key may read it. */
  organization: string | null
  sql?: string
}

/** What counts in the usage of the key. */
export interface UsageCount {
  rows: number
  bytes: number
}

/** What the fields of a call are that asked for no project. */
export const ASKED_NOTHING = { projectId: null, organization: null }
/** A signed token that serves as a key has a few kilobytes; the headers of a request may have 16 KiB in Node. */
export const MAX_KEY_LENGTH = 8192
const NO_COUNT: UsageCount = { rows: 0, bytes: 0 }

/** Which rule a refused statement breaks, and where. */
type RefusedStatement = Partial<Record<'rule', string> & Record<'line' | 'column', number>>

/** What the admission of calls is built on. */
export interface AdmissionOptions {
  ports: Pick<Ports, 'keys' | 'quota'>
  unsent: UnsentBytes
  clock: Clock
}

/** Where calls are reported. */
export interface Watchers {
  usage: UsagePort | undefined
  onEvent: (event: AnalyticsEvent) => void
}

/**
 * Admits calls, whatever they ask for: checks key and quota before anything else, and reports how each call
 * ended.
 */
export class Admission {
  readonly #options: AdmissionOptions
  readonly #usage: UsagePort | undefined
  readonly #onEvent: (event: AnalyticsEvent) => void
  readonly #turn = new Turn()

  constructor(options: AdmissionOptions, { usage, onEvent }: Watchers) {
    this.#options = options
    this.#usage = usage
    this.#onEvent = onEvent
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
    const started = { startedAt: performance.now(), phases: new Phases() }
    const session: Session = { ...request, ...started, caller: null, quota: null, refused: null }
    const { ports, unsent } = this.#options
    // Calls that arrive together go on together: one after the other, each finds the caches of the processor cold.
    await this.#turn.end()
    try {
      session.caller = await this.authenticate(request)
      session.quota = await ports.quota.take(session.caller, request.signal)
      if (!session.quota.allowed) throw rateLimited(session.quota)
      if (request.onUnsent) unsent.check(session.caller.ownerId)
    } catch (cause) {
      session.refused = this.toError(cause)
    }
    session.phases.add('auth', performance.now() - session.startedAt)
    return session
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
    const asked: RequestedCall = { method: name, ...ASKED_NOTHING }
    try {
      if (session.refused) throw session.refused
      const result = await work(session.caller as Caller)
      this.succeed(session, asked)
      return result
    } catch (cause) {
      throw this.fail(session, cause, asked).error
    }
  }

  /** Reports a call that succeeded. */
  succeed(session: Session, asked: RequestedCall, counted: UsageCount = NO_COUNT): void {
    this.#finish(session, asked, 'OK', counted)
  }

  /** Reports a call that failed, in its method or before it. */
  fail(
    session: Session,
    cause: unknown,
    asked: RequestedCall = { method: 'unknown', ...ASKED_NOTHING },
  ): CallFailure {
    const error = this.toError(cause)
    this.#finish(session, { ...asked, ...placeOf(error) }, error.class, NO_COUNT)
    return { ok: false, error, quota: session.quota }
  }

  /** Reports a download that begins; `startedAt` is the `performance.now()` of its request. */
  downloaded(caller: Caller, project: ProjectRecord, startedAt: number, bytes: number): void {
    const session = { caller, startedAt, phases: new Phases() }
    const { projectId, organization } = project
    this.#finish(session, { method: 'download', projectId, organization }, 'OK', { rows: 0, bytes })
  }

  /**
   * Converts a failure to the caller's error. A fault is INTERNAL: the host gets its cause, the caller a
   * reference.
   */
  toError(cause: unknown): AnalyticsError {
    if (cause instanceof AnalyticsError) return cause
    const reference = randomUUID()
    this.#onEvent({ type: 'fault', reference, cause })
    const message = 'The service failed. Quote the reference when you report it.'
    return new AnalyticsError('INTERNAL', message, { data: { reference }, cause })
  }

  #finish(
    session: Pick<Session, 'caller' | 'startedAt' | 'phases'>,
    asked: RequestedCall & RefusedStatement,
    outcome: string,
    counted: UsageCount,
  ): void {
    const keyId = session.caller?.keyId ?? null
    const durationMs = performance.now() - session.startedAt
    const phasesMs = session.phases.spentMs
    this.#onEvent({ type: 'call', ...asked, outcome, keyId, durationMs, phasesMs, ...counted })
    const { method, organization } = asked
    if (keyId !== null) this.#record({ keyId, method, organization, outcome, ...counted })
  }

  /** Records usage. A port that throws or rejects is reported to `onEvent` and does not fail the call. */
  #record(usage: Omit<UsageRecord, 'at'>): void {
    const failed = (cause: unknown) => this.#onEvent({ type: 'dependency', port: 'usage', cause })
    try {
      Promise.resolve(this.#usage?.record({ ...usage, at: this.#options.clock.now() })).catch(failed)
    } catch (cause) {
      failed(cause)
    }
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
