import { setTimeout as delay } from 'node:timers/promises'
import { EngineFailure } from 'foldgate/engine'
import { uniqueNames } from 'foldgate/internal'
import type { TrinoColumn, TypeSignature } from '../values/type-signatures.js'
import { Deadline, type StatementTimes } from './deadline.js'
import { parseLossless } from './lossless.js'
import { coordinatorAway, failureOf, type TrinoError, workerLost } from './trino-errors.js'

/** How the service proves to the coordinator who it is: a password, or a JWT that may change. */
export type TrinoAuth = { password: string } | { token: string | (() => string | Promise<string>) }

/** Where the coordinator is, and who asks. */
export interface Coordinator {
  /** URL of the coordinator, such as `https://trino.example:8443`. */
  url: URL
  /** The service's own user. */
  user: string
  auth: TrinoAuth | undefined
  catalog: string
}

/** A statement to run. */
export interface StatementRequest extends StatementTimes {
  sql: string
  /** User whose rights it has. Default: the service's own. */
  user?: string
  /** Schema in which names without one are looked up. */
  schema?: string
  /** Names the tenant to the cluster's resource groups. */
  source: string
  /** The text that errors point into, and how many lines precede it in `sql`. */
  statement?: string
  linesBefore?: number
}

/** Some rows of a result. */
export interface RowBatch {
  columns: readonly TrinoColumn[]
  rows: readonly (readonly unknown[])[]
}

interface StatementAnswer {
  id: string
  nextUri?: string
  columns?: { name: string; typeSignature: TypeSignature }[]
  data?: unknown[][]
  stats: { state: string }
  error?: TrinoError
}

const QUEUED = new Set(['QUEUED', 'WAITING_FOR_RESOURCES'])
/** Statuses by which a coordinator, or a proxy before it, asks for a retry. */
const RETRY = new Set([429, 502, 503, 504])
/** How long a coordinator that does not answer is asked again. */
const RETRY_FOR_MS = 3_000
const RETRY_AFTER_MS = 100
/** A query whose end could not be told is ended by the coordinator, after its `query.client.timeout`. */
const CANCEL_WITHIN_MS = 5_000
/** How much later than its deadline a statement may fail, so that the workers that ran it are looked at. */
const LOOK_WITHIN_MS = 2_000

/** Runs statements by Trino's protocol: each answer has rows, and names the address of the next one. */
export class TrinoClient {
  readonly #at: Coordinator

  constructor(at: Coordinator) {
    this.#at = at
  }

  /** Rows of a statement as they come, at least one batch. A consumer that stops early cancels the query. */
  async *run(request: StatementRequest): AsyncGenerator<RowBatch> {
    const deadline = new Deadline(request)
    let [id, next]: [id?: string, next?: string] = []
    try {
      let answer = await this.#begin(request, deadline.signal)
      let columns: readonly TrinoColumn[] | undefined
      for (;;) {
        ;({ id, nextUri: next } = answer)
        if (answer.error) throw failureOf(answer.error, request)
        if (!QUEUED.has(answer.stats.state)) deadline.started()
        if (answer.columns && !columns) columns = named(answer.columns)
        const rows = answer.data ?? []
        if (columns && (rows.length > 0 || !next)) yield { columns, rows }
        if (!next) {
          if (!columns) yield { columns: [], rows: [] }
          return
        }
        answer = await this.#follow(next, deadline.signal)
      }
    } catch (cause) {
      const failure = deadline.failure ?? cause
      const isTimeout = failure instanceof EngineFailure && failure.kind === 'timeout'
      if (id && isTimeout && (await this.#hasLostWorker(id))) throw workerLost(failure)
      throw failure
    } finally {
      deadline.over()
      if (next) void this.#cancel(next)
    }
  }

  /** All rows of a statement that has few. */
  async rows(request: StatementRequest): Promise<unknown[][]> {
    const all: unknown[][] = []
    for await (const { rows } of this.run(request)) all.push(...(rows as unknown[][]))
    return all
  }

  /**
   * Whether a worker that had tasks of this query has left the cluster. Trino goes on asking it for a minute by
   * default, in which the query ends by its own time limit.
   */
  async #hasLostWorker(id: string): Promise<boolean> {
    const signal = AbortSignal.timeout(LOOK_WITHIN_MS)
    const sql = `SELECT node_id FROM system.runtime.nodes WHERE state <> 'inactive'`
    try {
      const query = await this.#exchange(`/v1/query/${encodeURIComponent(id)}`, { signal }, false)
      const present = new Set((await this.rows({ sql, source: 'foldgate', signal })).flat())
      return [...JSON.stringify(query).matchAll(/"nodeId":"([^"]*)"/g)].some(([, node]) => !present.has(node))
    } catch {
      return false
    }
  }

  /** What the coordinator says about itself, to anybody. */
  async info(signal: AbortSignal): Promise<{ version: string; starting: boolean }> {
    const answer = (await this.#exchange('/v1/info', { signal }, false)) as Info | null
    return { version: answer?.nodeVersion?.version ?? 'unknown', starting: answer?.starting !== false }
  }

  async #begin(request: StatementRequest, signal: AbortSignal): Promise<StatementAnswer> {
    const { user = this.#at.user, schema, source, sql } = request
    const headers: Record<string, string> = {
      'x-trino-user': user,
      'x-trino-source': source,
      'x-trino-catalog': this.#at.catalog,
      'x-trino-time-zone': 'UTC',
      // Without it, Trino rounds times to milliseconds.
      'x-trino-client-capabilities': 'PARAMETRIC_DATETIME',
    }
    if (schema !== undefined) headers['x-trino-schema'] = schema
    return (await this.#exchange(
      '/v1/statement',
      { method: 'POST', headers, body: sql, signal },
      false,
    )) as StatementAnswer
  }

  /** The address is taken from the coordinator without its host, so that our credentials reach no other. */
  async #follow(nextUri: string, signal: AbortSignal): Promise<StatementAnswer> {
    return (await this.#exchange(pathOf(nextUri), { signal }, true)) as StatementAnswer
  }

  async #cancel(nextUri: string): Promise<void> {
    const signal = AbortSignal.timeout(CANCEL_WITHIN_MS)
    await this.#exchange(pathOf(nextUri), { method: 'DELETE', signal }, true).catch(() => {})
  }

  /** `again`: whether the request may be sent twice although its answer was lost. */
  async #exchange(path: string, init: RequestInit, again: boolean): Promise<unknown> {
    const until = performance.now() + RETRY_FOR_MS
    for (;;) {
      try {
        return await this.#once(path, init)
      } catch (cause) {
        if (init.signal?.aborted || (cause instanceof EngineFailure && cause.kind === 'memory')) throw cause
        const retry = cause instanceof RetryLater || (again && !(cause instanceof RefusedRequest))
        if (!retry || performance.now() > until)
          throw cause instanceof EngineFailure ? cause : coordinatorAway(cause)
        await delay(RETRY_AFTER_MS, undefined, { signal: init.signal as AbortSignal })
      }
    }
  }

  async #once(path: string, init: RequestInit): Promise<unknown> {
    const headers = {
      ...(await this.#credentials()),
      'x-trino-user': this.#at.user,
      ...(init.headers as object),
    }
    const response = await fetch(new URL(path, this.#at.url), { ...init, headers, redirect: 'error' })
    const text = await textOf(response)
    if (response.ok) return text ? parseLossless(text) : null
    const status = `the coordinator answered ${response.status}`
    throw RETRY.has(response.status)
      ? new RetryLater(status)
      : new RefusedRequest(`${status}: ${text.slice(0, MAX_REASON)}`)
  }

  async #credentials(): Promise<Record<string, string>> {
    const { auth, user } = this.#at
    if (!auth) return {}
    if ('password' in auth) {
      const basic = Buffer.from(`${user}:${auth.password}`).toString('base64')
      return { authorization: `Basic ${basic}` }
    }
    const token = typeof auth.token === 'function' ? await auth.token() : auth.token
    return { authorization: `Bearer ${token}` }
  }
}

type Info = { nodeVersion?: { version: string }; starting?: boolean }

const MAX_REASON = 200
/** The cluster ends an answer after 5 MB, unless a single row is larger. */
const MAX_ANSWER_BYTES = 64 * 1024 ** 2

/** The text of an answer, which must fit into memory. */
async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    bytes += part.byteLength
    if (bytes > MAX_ANSWER_BYTES) throw new EngineFailure('memory', 'A row of the result is too large.')
  }
  return Buffer.concat(parts).toString()
}

class RetryLater extends Error {}
class RefusedRequest extends Error {}

function pathOf(nextUri: string): string {
  const { pathname, search } = new URL(nextUri)
  return pathname + search
}

function named(columns: readonly { name: string; typeSignature: TypeSignature }[]): TrinoColumn[] {
  const names = uniqueNames(columns.map(({ name }) => name))
  return columns.map(({ typeSignature }, index) => ({ name: names[index] as string, type: typeSignature }))
}
