import {
  cancelled,
  EngineFailure,
  type EngineHost,
  type PointOfView,
  type Statement,
  type TimedWork,
} from 'foldgate/engine'
import { type BoundResult, noConnection, type Phase, Places } from 'foldgate/internal'
import type { StatementRequest } from './protocol/client.js'
import { type Schemas, tenantOf } from './relations/schemas.js'
import type { SharedPlace } from './relations/shared-places.js'
import type { Views } from './relations/views.js'
import type { Gate } from './rules/gate.js'
import { wrapped } from './statement/check-statement.js'

const MAX_VIEW_ATTEMPTS = 3

/** What a statement is asked over. */
interface Prepared<Value> {
  schemas: Schemas
  ask(request: StatementRequest): Promise<Value>
}

/** Runs statements of callers, each as the user of its point of view. */
export class Statements {
  readonly #host: EngineHost
  readonly #views: Views
  readonly #connections: number
  /** Organizations take turns for them. */
  readonly #places: Places
  readonly #gate: Gate
  readonly #shared: SharedPlace
  /** Of the statements that run. */
  readonly #running = new Set<AbortController>()
  #isClosed = false

  constructor(
    host: EngineHost,
    views: Views,
    { connections, gate, shared }: { connections: number; gate: Gate; shared: SharedPlace },
  ) {
    this.#host = host
    this.#views = views
    this.#connections = connections
    this.#places = new Places(connections, shareOf(connections))
    this.#gate = gate
    this.#shared = shared
  }

  get load(): { busy: number; waiting: number } {
    return { busy: this.#connections - this.#places.free, waiting: this.#places.waiting }
  }

  /** Has `ask` run a statement over its relations, which are made when missing. */
  run<Value>(
    point: PointOfView,
    statement: Statement,
    work: TimedWork,
    ask: Prepared<Value>['ask'],
  ): Promise<Value> {
    return this.#run(point, statement, work, async timed => {
      return { schemas: await this.#views.ready(point, statement.relations, timed, statement.readable), ask }
    })
  }

  /** Has `ask` read the columns of a statement over relations that are declared and have no rows. */
  bind(
    point: PointOfView,
    statement: Statement,
    work: TimedWork,
    ask: Prepared<BoundResult['columns']>['ask'],
  ): Promise<BoundResult> {
    const sql = `${wrapped(statement.sql)} LIMIT 0`
    return this.#run(point, statement, work, async timed => {
      const { schemas, relations } = await this.#views.declared(
        point,
        statement.relations,
        timed,
        statement.readable,
      )
      return {
        schemas,
        ask: async request => ({ columns: await ask({ ...request, sql, linesBefore: 1 }), relations }),
      }
    })
  }

  async #run<Value>(
    point: PointOfView,
    statement: Statement,
    work: TimedWork,
    prepare: (work: TimedWork) => Promise<Prepared<Value>>,
  ): Promise<Value> {
    // Not AbortSignal.any(): with a signal that lives as long as the engine, each call would leave something
    // in memory.
    const over = new AbortController()
    const leave = () => over.abort()
    work.signal.addEventListener('abort', leave)
    this.#running.add(over)
    try {
      if (work.signal.aborted || this.#isClosed) throw cancelled()
      await this.#gate.pass()
      return await this.#withViews(point, statement, { ...work, signal: over.signal }, prepare)
    } finally {
      work.signal.removeEventListener('abort', leave)
      this.#running.delete(over)
    }
  }

  close(): void {
    this.#isClosed = true
    for (const each of this.#running) each.abort()
  }

  /** Runs a statement, and makes its relations anew when they are gone. */
  async #withViews<Value>(
    point: PointOfView,
    statement: Statement,
    work: TimedWork,
    prepare: (work: TimedWork) => Promise<Prepared<Value>>,
  ): Promise<Value> {
    const { signal } = work
    for (let attempt = 1; ; attempt++) {
      const { schemas, ask } = await prepare(work)
      try {
        return await this.#inTurn(point, schemas, statement.sql, work, ask)
      } catch (cause) {
        if (signal.aborted) throw cancelled()
        if (!(cause instanceof EngineFailure)) throw cause
        const isGone = cause.kind === 'view' || isMissing(cause, schemas, statement.relations)
        if (cause.kind === 'disk' || isGone)
          this.#host.onEvent({ type: 'dependency', port: 'engine', cause: cause.cause ?? cause })
        if (!isGone) throw cause
        this.#views.forget(schemas)
        if (attempt === MAX_VIEW_ATTEMPTS) throw new EngineFailure('view', 'A relation is gone.', { cause })
      }
    }
  }

  async #inTurn<Value>(
    point: PointOfView,
    schemas: Schemas,
    sql: string,
    { signal, phases, timeoutMs }: TimedWork,
    ask: Prepared<Value>['ask'],
  ): Promise<Value> {
    const tenant = tenantOf(point.organization)
    const waitUntil = performance.now() + this.#host.limits.connectionWaitMs
    const turn = this.#places.take({ group: tenant, signal, ms: this.#host.limits.connectionWaitMs })
    const release = await phases.of('wait', turn.catch(noConnection))
    let since = performance.now()
    const spent = (phase: Phase) => {
      phases.add(phase, performance.now() - since)
      since = performance.now()
    }
    let phase: Phase = 'wait' // in the cluster's queue
    /** The cluster tells its processor time to processes of ours alone, so the time that a statement runs counts. */
    const ranMs = () => (phase === 'query' ? performance.now() - since : 0)
    const running = { made: () => ({ pid: null, processorMs: ranMs(), rows: null, bytes: 0 }) }
    phases.begin(running)
    let lease: Awaited<ReturnType<SharedPlace['hold']>> = null
    try {
      lease = await this.#shared.hold(point.snapshot)
      return await ask({
        sql,
        user: schemas.view,
        schema: schemas.view,
        source: `foldgate/${tenant}`,
        statement: sql,
        signal,
        queueMs: Math.max(1, waitUntil - performance.now()),
        timeoutMs,
        onStarted: () => {
          spent(phase)
          phase = 'query'
        },
      })
    } finally {
      phases.end(running, ranMs())
      spent(phase)
      release()
      await lease?.release()
    }
  }
}

/** The places that one organization has at most: heavy statements that fill them leave the others theirs. */
function shareOf(places: number): number {
  return Math.max(1, Math.floor(places / 4))
}

/** Whether a relation that was made is not there any more; other names are the caller's mistakes. */
function isMissing({ cause }: EngineFailure, { view }: Schemas, relations: readonly string[]): boolean {
  const { message = '' } = (cause ?? {}) as Error
  return /^TABLE_NOT_FOUND/.test(message) && relations.some(name => message.includes(`.${view}.${name}'`))
}
