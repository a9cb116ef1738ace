import {
  type Admission,
  ASKED_NOTHING,
  type Asked,
  type CallerRequest,
  type CallFailure,
  type Session,
} from '../call/admission.js'
import { decodeJson, JsonList } from '../call/json.js'
import { readParams } from '../call/schema.js'
import { AnalyticsError } from '../errors.js'
import type { CallAnswer, Warning } from '../model.js'
import type { Caller, ProjectRecord, QuotaState } from '../ports.js'
import { describeProject } from './describe.js'
import { exportProject } from './export.js'
import { listProjects } from './list.js'
import type { Core, Method, MethodOutcome } from './method.js'
import { queryProject } from './query.js'

/** The methods, by name. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [listProjects, describeProject, queryProject, exportProject].map(method => [method.name, method]),
)

/** Result or failure of a call. */
export type CallOutcome = CallFailure | CallSuccess

/** The end of a call that succeeded. */
export interface CallSuccess extends Pick<MethodOutcome, 'result' | 'columns' | 'csv' | 'tag' | 'isKnown'> {
  ok: true
  warnings: Warning[]
  quota: QuotaState | null
}

/** Runs methods for admitted callers. Checks the request, the params, and what the method checks, in this order. */
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
  async call(request: CallerRequest, name: string, params: unknown): Promise<CallAnswer> {
    const session = await this.#admission.admit(request)
    const outcome = session.refused
      ? this.#admission.fail(session, session.refused)
      : await this.run(session, name, params)
    if (!outcome.ok) throw outcome.error
    try {
      const result = decodeJson(outcome.result)
      return outcome.warnings.length > 0 ? { result, warnings: outcome.warnings } : { result }
    } catch (cause) {
      throw this.#admission.toError(cause)
    }
  }

  /** Runs a method for an admitted caller. */
  async run(session: Session, name: string, params: unknown): Promise<CallOutcome> {
    const method = METHODS.get(name)
    if (method) return this.perform(session, method, params)
    return this.#admission.fail(session, new AnalyticsError('METHOD_NOT_FOUND', `There is no such method. ${NAMES}`))
  }

  /** Runs what has the form of a method, and reports it under its name. */
  async perform(
    session: Session,
    method: Pick<Method, 'name' | 'params' | 'run'>,
    params: unknown,
  ): Promise<CallOutcome> {
    let asked: Asked = { method: method.name, ...ASKED_NOTHING }
    let warnings: Warning[] = []
    try {
      const read = readParams(method.params, params)
      asked = { method: method.name, ...this.#askedOf(read.params) }
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
      this.#admission.succeed(session, asked, counted)
      return { ok: true, result, columns, csv, tag, isKnown, warnings, quota: session.quota }
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
