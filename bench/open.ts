import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import * as installed from 'foldgate'
import { type AnalyticsApi, type AnalyticsOptions, directoryExports, type ProjectRecord } from 'foldgate'

const ENDS = 600

/** Prefix of the path of each method. */
export const METHODS_PATH = '/public/v1/api/projects/'

export const AUTHORIZATION = 'Bearer bench'

/** Options that differ between benchmarks; the others are the same for all. */
export type OpenOptions = Pick<AnalyticsOptions, 'catalogue' | 'snapshots'> &
  Pick<Partial<AnalyticsOptions>, 'keys' | 'limits' | 'onEvent'> & {
    /** Projects without an organization share one. */
    projects: readonly (Pick<ProjectRecord, 'projectId' | 'name'> & { organization?: string })[]
    engine?: Partial<Parameters<typeof installed.duckdbEngine>[0]>
    /** Default: the library that benches import. */
    library?: Pick<typeof installed, 'createAnalyticsApi' | 'duckdbEngine'>
  }

/** Opens an API below `folder`, by default for one key that reads every project, without a quota; the caller closes it. */
export async function openApi(folder: string, options: OpenOptions): Promise<AnalyticsApi> {
  const { projects, engine, library: { createAnalyticsApi, duckdbEngine } = installed, ...given } = options
  const records = projects.map((project, index) => ({
    organization: 'bench',
    ...project,
    sequence: index + 1,
    completed: true,
    running: false,
  }))
  const organizations = [...new Set(records.map(record => record.organization))]
  const byId = new Map(records.map(record => [record.projectId, record]))
  const api = createAnalyticsApi({
    keys: { authenticate: async () => ({ keyId: 'bench', ownerId: 'bench', organizations }) },
    ...given,
    baseUrl: 'http://127.0.0.1',
    secrets: ['a secret of the benchmarks, long enough'],
    projects: {
      find: async projectId => byId.get(projectId) ?? null,
      list: async ({ after, limit }) => records.slice(after, after + limit),
    },
    exports: directoryExports(join(folder, 'exports'), { retentionMs: 3_600_000 }),
    quota: { take: async () => ({ allowed: true, limit: 1, remaining: 1, windowMs: 1000, resetMs: 1000 }) },
    engine: duckdbEngine({ folder: join(folder, 'engine'), ...engine }),
  })
  await api.ready()
  while (api.stats().ready < api.stats().connections) await setImmediate() // the others are still starting
  return api
}

/** An answer as adapters receive it. */
export interface Posted {
  status: number
  /** Both ends of the body: the first row, and enough to contain a cursor. */
  head: string
  tail: string
  /** Milliseconds of a phase; 0 if the call skipped it. */
  spentMs(phase: string): number
}

/** Makes a REST call in process, without a socket. */
export async function post(
  api: AnalyticsApi,
  method: string,
  params: unknown,
  authorization = AUTHORIZATION,
): Promise<Posted> {
  const sent = Buffer.from(JSON.stringify(params))
  const {
    status,
    headers,
    body,
    sent: left,
  } = await api.adapter.answer({
    method: 'POST',
    path: METHODS_PATH + method,
    header: name => (name === 'authorization' ? authorization : null),
    readBody: async () => sent,
    signal: new AbortController().signal,
  })
  left?.() // reports the answer as sent
  const parts: readonly Uint8Array[] = Array.isArray(body) ? body : []
  const head = parts.map(part => latin1(part.subarray(0, ENDS))).join('')
  const tail = latin1(parts.at(-1)?.subarray(-ENDS) ?? new Uint8Array())
  const timing = headers['server-timing'] ?? ''
  return { status, head, tail, spentMs: phase => Number(new RegExp(`${phase};dur=([\\d.]+)`).exec(timing)?.[1] ?? 0) }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1')
}

/** Cursor of the next page; null on the last page. */
export function nextCursor({ tail }: Posted): string | null {
  return /"nextCursor":"([^"]+)"/.exec(tail)?.[1] ?? null
}
