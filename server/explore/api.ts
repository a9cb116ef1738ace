import type { OwnershipView, Page, ProjectDescription, ProjectExport, ProjectSummary, Row, Warning } from 'foldgate'
import type { SealProblem } from 'foldgate/sealing'
import { connectionFailure, failureOf } from './failure.js'

/** Params and result of each method, as this page calls it. */
interface Methods {
  'projects/list': { params: { page?: PageParams }; result: Page<ProjectSummary> }
  'projects/describe': { params: { projectId: string; relation?: string }; result: ProjectDescription }
  'projects/query': { params: QueryParams & { page?: PageParams }; result: Page<Row> }
  'projects/export': {
    params: QueryParams & { format: string; csvInjection?: 'keep' | 'escape' }
    result: ProjectExport
  }
}

interface PageParams {
  limit?: number
  cursor?: string
}

/** A statement and its point of view. */
export interface QueryParams {
  projectId: string
  sql: string
  entityId?: string
  ownershipView: OwnershipView
}

/** The answer to a call. */
export interface Answer<Result> {
  result: Result
  warnings: Warning[]
  /** Names of the columns of the first row in the order of the query; empty when the result has no rows. */
  columns: string[]
  /** Milliseconds that the service spent, by phase. */
  spentMs: Record<string, number>
}

/** The newest snapshot of a project: its id, when it was sealed and with which warnings. Null: it cannot be read. */
export interface Sealed {
  snapshotId: string | null
  sealedAt: Date | null
  warnings: SealProblem[]
}

/** The public API with one key. */
export interface Api {
  /** Calls a method. Throws a `Failure` when the call is refused or the service cannot be reached. */
  call<Name extends keyof Methods>(
    name: Name,
    params: Methods[Name]['params'],
    signal?: AbortSignal,
  ): Promise<Answer<Methods[Name]['result']>>
  /** Requests an exported file. The body of the response has not been read yet. */
  open(url: string, signal: AbortSignal): Promise<Response>
  /** The newest snapshot of a project. */
  sealed(projectId: string, signal: AbortSignal): Promise<Sealed>
}

/** The API of the server that sent this page. */
export function connect(key: string): Api {
  async function send(path: string, init: RequestInit): Promise<Response> {
    const headers = { authorization: `Bearer ${key}` }
    const response = await fetch(path, { ...init, headers, credentials: 'omit', cache: 'no-store' }).catch(
      connectionFailure,
    )
    if (response.ok) return response
    throw await failureOf(response)
  }

  return {
    async call(name, params, signal) {
      const body = JSON.stringify(params)
      const response = await send(`/public/v1/api/${name}`, { method: 'POST', body, ...(signal ? { signal } : {}) })
      const text = await response.text().catch(connectionFailure)
      const { result, warnings = [] } = JSON.parse(text)
      return { result, warnings, columns: rowColumns(text), spentMs: timingOf(response.headers) }
    },
    // The link begins with the configured base URL, which may differ from the address of this page.
    open: (url, signal) => send(new URL(url).pathname, { signal }),
    async sealed(projectId, signal) {
      const response = await send(`/explore/warnings/${projectId}`, { signal })
      const { warnings } = (await response.json()) as { warnings: SealProblem[] }
      const at = response.headers.get('Last-Modified')
      const snapshotId = response.headers.get('ETag')?.replaceAll('"', '') ?? null
      return { snapshotId, sealedAt: at === null ? null : new Date(at), warnings }
    },
  }
}

function timingOf(headers: Headers): Record<string, number> {
  const entries = (headers.get('Server-Timing') ?? '').matchAll(/(\w+);dur=([\d.]+)/g)
  return Object.fromEntries([...entries].map(([, phase, ms]) => [phase, Number(ms)]))
}

/**
 * Column names of the first row in the body of an answer, in the order of the query. `JSON.parse` loses this order: in
 * its objects, names that are integers come first.
 */
export function rowColumns(answer: string): string[] {
  const start = /^\s*\{\s*"result"\s*:\s*\{\s*"items"\s*:\s*\[\s*\{/.exec(answer)
  if (!start) return []
  const names: string[] = []
  const lexeme = /"(?:[^"\\]|\\.)*"|[{}[\],:]/g
  lexeme.lastIndex = start[0].length
  let depth = 1
  let isName = true
  for (let found = lexeme.exec(answer); found && depth > 0; found = lexeme.exec(answer)) {
    const [text] = found
    if (text === '{' || text === '[') depth++
    else if (text === '}' || text === ']') depth--
    else if (depth === 1 && text === ',') isName = true
    else if (depth === 1 && isName && text.startsWith('"')) {
      names.push(JSON.parse(text) as string)
      isName = false
    }
  }
  return names
}
