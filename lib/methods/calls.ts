import type { Admission, CallerRequest, CallFailure, Session } from '../call/admission.js'
import { callableMethods, mayCall } from '../call/caller.js'
import { decodeJson, forget, JsonList } from '../call/json-parts.js'
import type { MethodTypes } from '../call/params.js'
import type { AskedCall } from '../call/running.js'
import { AnalyticsError } from '../errors.js'
import type { CallAnswer, MethodName, Warning } from '../model.js'
import type { Caller, QuotaState } from '../ports.js'
import { readParams } from '../schema.js'
import type { Words } from '../words.js'
import { describeProject } from './describe.js'
import { exportProject } from './export.js'
import { listProjects } from './list.js'
import {
  type CallContext,
  type Core,
  cannotCall,
  type EntryPoint,
  type Method,
  type MethodOutcome,
} from './method.js'
import { QUERIES, QueryMethods } from './named-queries.js'
import { queryProject } from './query.js'
import { readableCatalogue } from './readable-catalogue.js'

/** The methods of an API, by name. */
export type Methods = {
  readonly [Name in MethodName]: Method<MethodTypes[Name]['params'], MethodTypes[Name]['result']>
}

/** The methods, in the words of a catalogue. */
export function methodsIn(words: Words): Methods {
  return {
    'projects/list': listProjects(words),
    'projects/describe': describeProject(words),
    'projects/query': queryProject(words),
    'projects/export': exportProject(words),
  }
}

/** Result or failure of a call. */
export type CallOutcome<Result = unknown> = CallFailure | CallSuccess<Result>

/** The end of a call that succeeded. */
export interface CallSuccess<Result = unknown> extends Pick<MethodOutcome<Result>, 'result' | 'columns'> {
  ok: true
  warnings: Warning[]
  quota: QuotaState | null
}

/** What entry points are built on. */
export interface Service {
  core: Core
  admission: Admission
  calls: Calls
}

/** What runs like a method, and is reported under its name. */
export type Runnable<Result = unknown> = Pick<Method<unknown, Result>, 'name' | 'params' | 'run'>

/**
 * Runs methods for admitted callers. Checks the request, the params, and what the method checks, in this
 * order.
 */
export class Calls {
  readonly #core: Core
  readonly #admission: Admission
  /** The methods, by name, in the order in which they are described. */
  readonly methods: Methods
  /** The named queries of the catalogue. */
  readonly queries: QueryMethods

  constructor(core: Core, admission: Admission) {
    this.#core = core
    this.#admission = admission
    this.methods = methodsIn(core.words)
    this.queries = new QueryMethods(core.catalogue.queries, core.words, core.engines)
  }

  /** Whether there is a method of this name. */
  has(name: string): name is MethodName {
    return Object.hasOwn(this.methods, name)
  }

  /** Fails a call before its method runs, and reports it under the method that it names, if there is one of this name. */
  refuse(session: Session, cause: unknown, called: string | Runnable): CallFailure {
    const name = typeof called === 'string' ? called : called.name
    const isKnown = typeof called !== 'string' || this.has(name)
    session.asked.method = (isKnown ? name : this.queries.methodName(name)) ?? session.asked.method
    return this.#admission.fail(session, cause)
  }

  /** The method of this name, with its types. Plain JavaScript may pass another name, which is returned as it is. */
  methodOf<Name extends MethodName>(name: Name): Methods[Name] | Name {
    return this.has(name) ? this.methods[name] : name
  }

  /** Admits a caller, runs a method and returns its answer as values. Throws the failure of the call. */
  async call<Result>(
    request: CallerRequest,
    method: string | Runnable<Result>,
    params: unknown,
  ): Promise<CallAnswer<Result>> {
    const { result, ...rest } = await this.encodedCall(request, method, params)
    try {
      return { result: decodeJson<Result>(result), ...rest }
    } catch (cause) {
      throw this.#admission.toError(cause)
    }
  }

  /** Like `call`, but rows stay as JSON, see `jsonParts`. */
  async encodedCall<Result>(
    request: CallerRequest,
    method: string | Runnable<Result>,
    params: unknown,
  ): Promise<CallAnswer<MethodOutcome<Result>['result']>> {
    const session = await this.#admission.admit(request)
    const outcome = session.refused
      ? this.refuse(session, session.refused, method as string | Runnable)
      : await this.run(session, method, params)
    if (!outcome.ok) throw outcome.error
    const { result, warnings } = outcome
    return warnings.length > 0 ? { result, warnings } : { result }
  }

  /** Runs a method for an admitted caller. */
  run<Result>(
    session: Session,
    called: string | Runnable<Result>,
    params: unknown,
    entry: EntryPoint = {},
  ): Promise<CallOutcome<Result>> {
    const run = () => this.#run(session, called, params, entry)
    return session.span === null ? run() : session.span.run(run)
  }

  async #run<Result>(
    session: Session,
    called: string | Runnable<Result>,
    params: unknown,
    entry: EntryPoint,
  ): Promise<CallOutcome<Result>> {
    const found = typeof called === 'string' ? this.#methodNamed<Result>(called, params, session) : called
    const copy = found instanceof Promise ? copyOf(params) : null // callers of run() forget the params at once
    let method: string | Runnable<Result>
    try {
      method = found instanceof Promise ? await found : found
    } catch (cause) {
      return this.#admission.fail(session, cause)
    }
    const caller = session.caller as Caller
    if (typeof method === 'string') {
      const names = callableMethods(caller).join(', ')
      const known = names === '' ? '' : ` The methods are ${names}.`
      return this.#admission.fail(
        session,
        new AnalyticsError('METHOD_NOT_FOUND', `There is no such method.${known}`),
      )
    }
    session.asked.method = method.name
    let warnings: Warning[] = []
    try {
      if (this.has(method.name) && !mayCall(caller, method.name)) throw cannotCall()
      const read = readParams(method.params, copy ?? params)
      forget(copy)
      Object.assign(session.asked, askedIn(read.params))
      warnings = read.warnings
      const { signal, phases } = session
      const context: CallContext = {
        ...this.#core,
        caller,
        catalogue: readableCatalogue(caller, this.#core.catalogue),
        signal,
        phases,
        // Warnings are in the answer, but are no part of what identifies its page.
        has: page => warnings.length === 0 && (entry.has?.(page) ?? false),
        beginStatement: (...statement) => this.#admission.beginStatement(session, ...statement),
        reads: found => void Object.assign(session.asked, found),
      }
      const outcome = await method.run(read.params, context)
      const startedAt = performance.now()
      const encoded = entry.encode?.(outcome)
      if (encoded) phases.add('encode', performance.now() - startedAt)
      const { result, columns, snapshot, rows, bytes } = outcome
      warnings = [...warnings, ...(outcome.warnings ?? [])]
      session.onUnsent?.(this.#core.unsent.add(caller.ownerId, encoded?.byteLength ?? bytesOf(result)))
      session.snapshot = snapshot
      this.#admission.succeed(session, { rows, bytes })
      return { ok: true, result, columns, warnings, quota: session.quota }
    } catch (cause) {
      const error = session.endedBy ?? this.#admission.toError(cause)
      return this.#admission.fail(session, warnings.length > 0 ? error.with({ warnings }) : error)
    }
  }

  /** The method of this name, or the name if there is none. Rejects with NOT_FOUND for a query that there is not. */
  #methodNamed<Result>(
    name: string,
    params: unknown,
    { caller }: Session,
  ): string | Runnable<Result> | Promise<string | Runnable<Result>> {
    if (this.has(name)) return this.methods[name] as Runnable<unknown> as Runnable<Result>
    if (!name.startsWith(QUERIES)) return name
    const finding = this.queries.find(name, params, caller as Caller)
    return finding.then(method => (method ?? name) as string | Runnable<Result>)
  }
}

/** The project and the statement in the params of a call. */
function askedIn(params: unknown): Partial<AskedCall> {
  const { projectId = null, sql } = params as { projectId?: string; sql?: string }
  return { projectId, ...(sql === undefined ? {} : { sql }) }
}

/** Params with the same members; a value that is no object stays as it is, and is refused. */
function copyOf(params: unknown): unknown {
  return typeof params === 'object' && params !== null && !Array.isArray(params) ? { ...params } : params
}

/** Size of the rows in a result. */
function bytesOf(result: unknown): number {
  const { items } = result as { items?: unknown }
  return items instanceof JsonList ? items.members.byteLength : 0
}
