import { randomUUID } from 'node:crypto'
import { AnalyticsError } from './errors.js'
import { describeProject } from './methods/describe.js'
import { exportProject } from './methods/export.js'
import { listProjects } from './methods/list.js'
import type { Core, Method, MethodOutcome } from './methods/method.js'
import { queryProject } from './methods/query.js'
import type { Warning } from './model.js'
import type { AnalyticsEvent } from './options.js'
import type { Caller, QuotaState, UsagePort, UsageRecord } from './ports.js'
import { readParams } from './schema.js'

/** The methods, by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [listProjects, describeProject, queryProject, exportProject].map(method => [method.name, method]),
)

/** A call as an entry point hands it over. */
export interface CallRequest {
  /** The `Authorization` header as sent. */
  authorization: string | null
  /** Fires when the caller has left. */
  signal: AbortSignal
  /** Reads what is called; asked for only once the key holds and its quota allows it. */
  read(): Promise<{ method: string; params: unknown }>
}

/** What a call came to; `quota` is known once the key held. */
export type CallOutcome = { quota: QuotaState | null } & (
  | { ok: true; result: unknown; warnings: Warning[] }
  | { ok: false; error: AnalyticsError }
)

/** Runs calls in the order of the contract: key, quota, request, params, and then the method's own. */
export class Calls {
  readonly #core: Core
  readonly #usage: UsagePort | undefined
  readonly #onEvent: (event: AnalyticsEvent) => void

  constructor(core: Core, usage: UsagePort | undefined, onEvent: (event: AnalyticsEvent) => void) {
    this.#core = core
    this.#usage = usage
    this.#onEvent = onEvent
  }

  /** The caller behind an `Authorization` header; anything but a key that holds is UNAUTHENTICATED. */
  async authenticate(authorization: string | null, signal: AbortSignal): Promise<Caller> {
    const key = /^Bearer +(\S{1,512})$/i.exec(authorization ?? '')?.[1]
    const caller = key ? await this.#core.ports.keys.authenticate(key, signal) : null
    if (caller) return caller
    const message = key
      ? 'The API key is unknown, revoked or expired.'
      : 'The call carries no API key. Send it as "Authorization: Bearer <key>".'
    throw new AnalyticsError('UNAUTHENTICATED', message)
  }

  async perform(request: CallRequest): Promise<CallOutcome> {
    const startedAt = performance.now()
    const seen: { caller: Caller | null; quota: QuotaState | null; method: string; projectId: string | null } = {
      caller: null,
      quota: null,
      method: 'unknown',
      projectId: null,
    }
    const finish = (outcome: string, counted: Omit<MethodOutcome, 'result'>) => {
      const { caller, method, projectId } = seen
      const keyId = caller?.keyId ?? null
      this.#onEvent({ type: 'call', method, outcome, keyId, projectId, durationMs: performance.now() - startedAt })
      if (keyId !== null) this.record({ keyId, method, outcome, rows: counted.rows, bytes: counted.bytes })
    }
    try {
      seen.caller = await this.authenticate(request.authorization, request.signal)
      seen.quota = await this.#core.ports.quota.take(seen.caller.keyId, request.signal)
      if (!seen.quota.allowed) throw rateLimited(seen.quota)
      const { method: name, params } = await request.read()
      const method = METHODS.get(name)
      if (!method) throw new AnalyticsError('METHOD_NOT_FOUND', `There is no such method. ${METHOD_NAMES}`)
      seen.method = name
      const read = readParams(method.params, params)
      seen.projectId = projectOf(read.params)
      const context = { ...this.#core, caller: seen.caller, signal: request.signal }
      const { result, ...counted } = await withWarnings(method.run(read.params, context), read.warnings)
      finish('OK', counted)
      return { ok: true, result, warnings: read.warnings, quota: seen.quota }
    } catch (cause) {
      const error = cause instanceof AnalyticsError ? cause : this.fault(cause)
      finish(error.class, { rows: 0, bytes: 0 })
      return { ok: false, error, quota: seen.quota }
    }
  }

  /** Counts a call or a download for its key; what fails there fails nothing here. */
  record(usage: Omit<UsageRecord, 'at'>): void {
    const failed = (cause: unknown) => this.#onEvent({ type: 'dependency', port: 'usage', cause })
    try {
      Promise.resolve(this.#usage?.record({ ...usage, at: this.#core.clock.now() })).catch(failed)
    } catch (cause) {
      failed(cause)
    }
  }

  /** A fault of ours: the host gets the cause, the caller a reference. */
  fault(cause: unknown): AnalyticsError {
    const reference = randomUUID()
    this.#onEvent({ type: 'fault', reference, cause })
    const message = 'The service failed. Quote the reference when you report it.'
    return new AnalyticsError('INTERNAL', message, { data: { reference }, cause })
  }
}

const METHOD_NAMES = `The methods are ${[...METHODS.keys()].join(', ')}.`

function rateLimited(quota: QuotaState): AnalyticsError {
  const retryAfterSeconds = Math.max(1, Math.ceil(quota.resetMs / 1000))
  const message = `The key has used its ${quota.limit} calls in ${quota.windowMs / 1000} seconds. Retry in ${retryAfterSeconds} s.`
  return new AnalyticsError('RATE_LIMITED', message, { data: { retryAfterSeconds } })
}

/** A failed call carries its warnings in `data`. */
async function withWarnings<Value>(run: Promise<Value>, warnings: readonly Warning[]): Promise<Value> {
  try {
    return await run
  } catch (cause) {
    throw cause instanceof AnalyticsError && warnings.length > 0 ? cause.with({ warnings }) : cause
  }
}

function projectOf(params: unknown): string | null {
  const projectId = (params as { projectId?: unknown }).projectId
  return typeof projectId === 'string' ? projectId : null
}
