import {
  type Admission,
  ASKED_NOTHING,
  type Asked,
  type CallerRequest,
  type CallFailure,
  type Session,
} from '../call/admission.js'
import { decodeJson, JsonList } from '../call/json-parts.js'
import type { MethodName, MethodTypes } from '../call/params.js'
import { readParams } from '../call/schema.js'
import type { Catalogue } from '../catalogue/catalogue.js'
import { AnalyticsError } from '../errors.js'
import type { CallAnswer, Warning } from '../model.js'
import type { Caller, ProjectRecord, QuotaState } from '../ports.js'
import { describeProject } from './describe.js'
import { exportProject } from './export.js'
import { listProjects } from './list.js'
import type { CallContext, Core, Entry, Method, MethodOutcome } from './method.js'
import { queryProject } from './query.js'
import { withoutTree } from './without-tree.js'

type Methods = {
  readonly [Name in MethodName]: Method<MethodTypes[Name]['params'], MethodTypes[Name]['result']>
}

const BY_NAME: Methods = {
  'projects/list': listProjects,
  'projects/describe': describeProject,
  'projects/query': queryProject,
  'projects/export': exportProject,
}

/** The methods, by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map<string, Method>(Object.entries(BY_NAME))

/** The methods, by name, as they are for a catalogue: without a tree of ownership, nothing chooses a point of view. */
export function methodsOf({ hierarchy }: Pick<Catalogue, 'hierarchy'>): ReadonlyMap<string, Method> {
  return hierarchy ? METHODS : new Map([...METHODS].map(([name, method]) => [name, withoutTree(method)]))
}

/**
 * The method of this name, with its types. Plain JavaScript may pass another name, which is returned as it
 * is.
 */
export function methodOf<Name extends MethodName>(
  { methods }: Pick<Core, 'methods'>,
  name: Name,
): Methods[Name] | Name {
  return (methods.get(name) as Methods[Name] | undefined) ?? name
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
  readonly #sqlInEvents: boolean

  constructor(core: Core, admission: Admission, { sqlInEvents }: { sqlInEvents: boolean }) {
    this.#core = core
    this.#admission = admission
    this.#sqlInEvents = sqlInEvents
  }

  /** Admits a caller, runs a method and returns its answer as values. Throws the failure of the call. */
  async call<Result>(
    request: CallerRequest,
    method: string | Runnable<Result>,
    params: unknown,
  ): Promise<CallAnswer<Result>> {
    const session = await this.#admission.admit(request)
    const outcome = session.refused
      ? this.#admission.fail(session, session.refused)
      : await this.run(session, method, params)
    if (!outcome.ok) throw outcome.error
    try {
      const result = decodeJson<Result>(outcome.result)
      return outcome.warnings.length > 0 ? { result, warnings: outcome.warnings } : { result }
    } catch (cause) {
      throw this.#admission.toError(cause)
    }
  }

  /** Runs a method for an admitted caller. */
  async run<Result>(
    session: Session,
    called: string | Runnable<Result>,
    params: unknown,
    entry: Entry = {},
  ): Promise<CallOutcome<Result>> {
    const method =
      typeof called === 'string'
        ? (this.#core.methods.get(called) as Method<unknown, Result> | undefined)
        : called
    if (!method)
      return this.#admission.fail(
        session,
        new AnalyticsError('METHOD_NOT_FOUND', `There is no such method. ${NAMES}`),
      )
    let asked: Asked = { method: method.name, ...ASKED_NOTHING }
    let warnings: Warning[] = []
    try {
      const read = readParams(method.params, params)
      asked = { method: method.name, ...this.#askedOf(read.params) }
      warnings = read.warnings
      const { signal, phases } = session
      const caller = session.caller as Caller
      const context: CallContext = {
        ...this.#core,
        caller,
        signal,
        phases,
        // Warnings are in the answer, but are no part of what identifies its page.
        has: page => warnings.length === 0 && (entry.has?.(page) ?? false),
        onProject({ organization }: ProjectRecord) {
          asked = { ...asked, organization }
        },
      }
      const outcome = await method.run(read.params, context)
      const startedAt = performance.now()
      const encoded = entry.encode?.(outcome)
      if (encoded) phases.add('encode', performance.now() - startedAt)
      const { result, columns, snapshot, rows, bytes } = outcome
      session.onUnsent?.(this.#core.unsent.add(caller.ownerId, encoded?.byteLength ?? bytesOf(result)))
      session.snapshot = snapshot
      this.#admission.succeed(session, asked, { rows, bytes })
      return { ok: true, result, columns, warnings, quota: session.quota }
    } catch (cause) {
      const error = this.#admission.toError(cause)
      return this.#admission.fail(session, warnings.length > 0 ? error.with({ warnings }) : error, asked)
    }
  }

  #askedOf(params: unknown): Omit<Asked, 'method'> {
    const { projectId = null, sql } = params as { projectId?: string; sql?: string }
    return { projectId, organization: null, ...(this.#sqlInEvents && sql !== undefined ? { sql } : {}) }
  }
}

/** Size of the rows in a result. */
function bytesOf(result: unknown): number {
  const { items } = result as { items?: unknown }
  return items instanceof JsonList ? items.members.byteLength : 0
}

const NAMES = `The methods are ${[...METHODS.keys()].join(', ')}.`
