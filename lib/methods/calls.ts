import { randomUUID } from 'node:crypto'
import { decodeJson, JsonList } from '../call/json.js'
import { rateLimited } from '../call/quota-levels.js'
import { object, readParams } from '../call/schema.js'
import { type EntryArguments, Phases, type Work } from '../call/work.js'
import { AnalyticsError } from '../errors.js'
import type { AnalyticsEvent } from '../events.js'
import type { CallAnswer, Warning } from '../model.js'
import type { Caller, ProjectRecord, QuotaState, UsagePort, UsageRecord } from '../ports.js'
import type { Snapshot } from '../snapshots/manifest.js'
import { describeProject } from './describe.js'
import { exportProject } from './export.js'
import { listProjects } from './list.js'
import type { Core, Method, MethodOutcome } from './method.js'
import { queryProject } from './query.js'

/** The methods, by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [listProjects, describeProject, queryProject, exportProject].map(method => [method.name, method]),
)

/** The credentials of a call, and when to cancel it. */
export interface CallerRequest {
  /** The `Authorization` header as sent. */
  authorization: string | null
  /** Aborted when the caller has disconnected. */
  signal: AbortSignal
  /** Receives a function to call once the answer has been sent. Absent for calls in this process: nothing is sent. */
  onUnsent?: (release: () => void) => void
  entry?: EntryArguments
}

/**
 * A call whose key and quota have been checked; `refused` is the failure that ends it, if any, and `snapshot` what a call
 * that succeeded has read.
 */
export interface Session extends CallerRequest, Work {
  startedAt: number
  caller: Caller | null
  quota: QuotaState | null
  refused: AnalyticsError | null
  snapshot?: Snapshot | undefined
}

/** Result or failure of a call. `quota` is null when the call failed before its quota was read. */
export type CallOutcome = { quota: QuotaState | null } & (
  | ({ ok: true; warnings: Warning[] } & Pick<MethodOutcome, 'result' | 'columns' | 'csv' | 'tag' | 'isKnown'>)
  | { ok: false; error: AnalyticsError }
)

/** What a call asked for, as far as its params could be read. */
interface Asked {
  method: string
  projectId: string | null
  /** Known once the project was found and the key may read it. */
  organization: string | null
  sql?: string
}

const ASKED_NOTHING = { projectId: null, organization: null }

/** Which rule a refused statement breaks, and where. */
type Refused = Partial<Record<'rule', string> & Record<'line' | 'column', number>>

/** Where calls are reported, and whether with their SQL. */
interface Watchers {
  usage: UsagePort | undefined
  onEvent: (event: AnalyticsEvent) => void
  sqlInEvents: boolean
}

/** Runs calls. Checks them in the order of the contract: key, quota, request, params, then the checks of the method. */
export class Calls {
  readonly #core: Core
  readonly #usage: UsagePort | undefined
  readonly #onEvent: (event: AnalyticsEvent) => void
  readonly #sqlInEvents: boolean

  constructor(core: Core, { usage, onEvent, sqlInEvents }: Watchers) {
    this.#core = core
    this.#usage = usage
    this.#onEvent = onEvent
    this.#sqlInEvents = sqlInEvents
  }

  /** Returns the caller behind an `Authorization` header. Throws UNAUTHENTICATED without a valid key. */
  async authenticate({ authorization, signal }: CallerRequest): Promise<Caller> {
    const key = /^Bearer +(\S{1,512})$/i.exec(authorization ?? '')?.[1]
    const caller = key ? await this.#core.ports.keys.authenticate(key, signal) : null
    if (caller) return caller
    const message = key
      ? 'The API key is unknown, revoked or expired.'
      : 'The call carries no API key. Send it as "Authorization: Bearer <key>".'
    throw new AnalyticsError('UNAUTHENTICATED', message)
  }

  /** Checks the key and takes a unit of its quota, before the body of the request is read. */
  async admit(request: CallerRequest): Promise<Session> {
    const started = { startedAt: performance.now(), phases: new Phases() }
    const session: Session = { ...request, ...started, caller: null, quota: null, refused: null }
    try {
      session.caller = await this.authenticate(request)
      session.quota = await this.#core.ports.quota.take(session.caller, request.signal)
      if (!session.quota.allowed) throw rateLimited(session.quota)
      if (request.onUnsent) this.#core.unsent.check(session.caller.ownerId)
    } catch (cause) {
      session.refused = this.toError(cause)
    }
    session.phases.add('auth', performance.now() - session.startedAt)
    return session
  }

  /** Admits a caller, runs a method and returns its answer as values. Throws the failure of the call. */
  async call(request: CallerRequest, name: string, params: unknown): Promise<CallAnswer> {
    const session = await this.admit(request)
    const outcome = session.refused ? this.fail(session, session.refused) : await this.run(session, name, params)
    if (!outcome.ok) throw outcome.error
    try {
      const result = decodeJson(outcome.result)
      return outcome.warnings.length > 0 ? { result, warnings: outcome.warnings } : { result }
    } catch (cause) {
      throw this.toError(cause)
    }
  }

  /** Runs a method for an admitted caller. */
  async run(session: Session, name: string, params: unknown): Promise<CallOutcome> {
    const method = METHODS.get(name)
    if (!method)
      return this.fail(session, new AnalyticsError('METHOD_NOT_FOUND', `There is no such method. ${METHOD_NAMES}`))
    let asked: Asked = { method: name, ...ASKED_NOTHING }
    let warnings: Warning[] = []
    try {
      const read = readParams(method.params, params)
      asked = { method: name, ...this.#askedOf(read.params) }
      warnings = read.warnings
      const { signal, phases, entry } = session
      // Warnings are in the answer but not in the tag of its page.
      const asks = warnings.length > 0 ? { ...entry, has: undefined } : entry
      const onProject = ({ organization }: ProjectRecord) => {
        asked = { ...asked, organization }
      }
      const context = { ...this.#core, ...asks, caller: session.caller as Caller, signal, phases, onProject }
      const { result, columns, csv, snapshot, tag, isKnown, ...counted } = await method.run(read.params, context)
      session.onUnsent?.(this.#core.unsent.add(context.caller.ownerId, csv?.byteLength ?? bytesOf(result)))
      session.snapshot = snapshot
      this.#finish(session, asked, 'OK', counted)
      return { ok: true, result, columns, csv, tag, isKnown, warnings, quota: session.quota }
    } catch (cause) {
      const error = this.toError(cause)
      return this.fail(session, warnings.length > 0 ? error.with({ warnings }) : error, asked)
    }
  }

  /** Reports a call that failed, in its method or before it. */
  fail(session: Session, cause: unknown, asked: Asked = { method: 'unknown', ...ASKED_NOTHING }): CallOutcome {
    const error = this.toError(cause)
    this.#finish(session, { ...asked, ...placeOf(error) }, error.class, { rows: 0, bytes: 0 })
    return { ok: false, error, quota: session.quota }
  }

  /** Answers a method that has no params and always has the same result. */
  answer(session: Session, method: string, params: unknown, result: unknown): CallOutcome {
    try {
      const { warnings } = readParams(NO_PARAMS, params)
      this.#finish(session, { method, ...ASKED_NOTHING }, 'OK', { rows: 0, bytes: 0 })
      return { ok: true, result, warnings, quota: session.quota }
    } catch (cause) {
      return this.fail(session, cause, { method, ...ASKED_NOTHING })
    }
  }

  /** Runs work of the host for an admitted caller, and reports it like a method of this name. Throws its failure. */
  async perform<Result>(session: Session, name: string, work: (caller: Caller) => Promise<Result>): Promise<Result> {
    const asked: Asked = { method: name, ...ASKED_NOTHING }
    try {
      if (session.refused) throw session.refused
      const result = await work(session.caller as Caller)
      this.#finish(session, asked, 'OK', { rows: 0, bytes: 0 })
      return result
    } catch (cause) {
      const error = this.toError(cause)
      this.fail(session, error, asked)
      throw error
    }
  }

  /** Reports a download that begins; `startedAt` is the `performance.now()` of its request. */
  downloaded(caller: Caller, project: ProjectRecord, startedAt: number, bytes: number): void {
    const session = { caller, startedAt, phases: new Phases() }
    const { projectId, organization } = project
    this.#finish(session, { method: 'download', projectId, organization }, 'OK', { rows: 0, bytes })
  }

  /** Records usage. A port that throws or rejects is reported to `onEvent` and does not fail the call. */
  #record(usage: Omit<UsageRecord, 'at'>): void {
    const failed = (cause: unknown) => this.#onEvent({ type: 'dependency', port: 'usage', cause })
    try {
      Promise.resolve(this.#usage?.record({ ...usage, at: this.#core.clock.now() })).catch(failed)
    } catch (cause) {
      failed(cause)
    }
  }

  /** Converts a failure to the caller's error. A fault is INTERNAL: the host gets its cause, the caller a reference. */
  toError(cause: unknown): AnalyticsError {
    if (cause instanceof AnalyticsError) return cause
    const reference = randomUUID()
    this.#onEvent({ type: 'fault', reference, cause })
    const message = 'The service failed. Quote the reference when you report it.'
    return new AnalyticsError('INTERNAL', message, { data: { reference }, cause })
  }

  #askedOf(params: unknown): Omit<Asked, 'method'> {
    const { projectId = null, sql } = params as { projectId?: string; sql?: string }
    return { projectId, organization: null, ...(this.#sqlInEvents && sql !== undefined ? { sql } : {}) }
  }

  #finish(
    session: Pick<Session, 'caller' | 'startedAt' | 'phases'>,
    asked: Asked & Refused,
    outcome: string,
    counted: Pick<MethodOutcome, 'rows' | 'bytes'>,
  ): void {
    const keyId = session.caller?.keyId ?? null
    const durationMs = performance.now() - session.startedAt
    const phasesMs = session.phases.spentMs
    this.#onEvent({ type: 'call', ...asked, outcome, keyId, durationMs, phasesMs, ...counted })
    const { method, organization } = asked
    if (keyId !== null) this.#record({ keyId, method, organization, outcome, ...counted })
  }
}

function placeOf(error: AnalyticsError): Refused {
  if (error.class !== 'INVALID_QUERY') return {}
  const { rule, line, column } = (error.data ?? {}) as Refused
  const place = line === undefined || column === undefined ? {} : { line, column }
  return { ...(rule === undefined ? {} : { rule }), ...place }
}

/** Size of the rows in a result. */
function bytesOf(result: unknown): number {
  const { items } = result as { items?: unknown }
  return items instanceof JsonList ? items.members.byteLength : 0
}

const NO_PARAMS = object({}, 'No field is read.')
const METHOD_NAMES = `The methods are ${[...METHODS.keys()].join(', ')}.`
