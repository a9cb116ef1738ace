import { setTimeout as delay } from 'node:timers/promises'

/** How a statement ended, over Trino's protocol. */
export interface Outcome {
  id: string
  columns: { name: string; type: string }[]
  rows: unknown[][]
  error: { errorName: string; errorType: string; message: string } | null
}

export interface AskOptions {
  user?: string
  catalog?: string
  schema?: string
  source?: string
  /** More headers, such as `X-Trino-Session`. */
  headers?: Record<string, string>
  /** Called with the id of the query once Trino has given it one. */
  onStart?: (id: string) => void
  /** Cancels the statement after this time; its outcome is then the error CANCELED. */
  withinMs?: number
}

interface Page {
  id: string
  nextUri?: string
  columns?: Outcome['columns']
  data?: unknown[][]
  error?: Outcome['error']
}

/** Runs a statement to its end, and answers all rows. Numbers past 2^53 lose digits. Throws if Trino cannot be reached. */
export async function ask(url: string, sql: string, options: AskOptions = {}): Promise<Outcome> {
  const { user = 'foldgate', catalog = 'iceberg', schema, source = 'foldgate', onStart } = options
  const headers: Record<string, string> = {
    'X-Trino-User': user,
    'X-Trino-Catalog': catalog,
    'X-Trino-Source': source,
    ...(schema !== undefined && { 'X-Trino-Schema': schema }),
    ...options.headers,
  }
  let page = await send(`${url}/v1/statement`, { method: 'POST', body: sql, headers })
  onStart?.(page.id)
  const end = performance.now() + (options.withinMs ?? Number.POSITIVE_INFINITY)
  const outcome: Outcome = { id: page.id, columns: [], rows: [], error: null }
  for (;;) {
    if (page.columns) outcome.columns = page.columns
    for (const row of page.data ?? []) outcome.rows.push(row)
    if (page.error) outcome.error = page.error
    if (page.nextUri === undefined) return outcome
    if (performance.now() > end) {
      await fetch(page.nextUri, { method: 'DELETE', headers: { 'X-Trino-User': user } })
      return { ...outcome, error: { errorName: 'CANCELED', errorType: 'USER_ERROR', message: 'out of time' } }
    }
    page = await send(page.nextUri, { headers: { 'X-Trino-User': user } })
  }
}

/** As {@link ask}, and throws if the statement fails. */
export async function rowsOf(url: string, sql: string, options: AskOptions = {}): Promise<unknown[][]> {
  const { rows, error } = await ask(url, sql, options)
  if (error) throw new Error(`${error.errorName}: ${error.message}\n${sql}`)
  return rows
}

async function send(url: string, init: RequestInit): Promise<Page> {
  for (;;) {
    const response = await fetch(url, init)
    if (response.status === 200) return (await response.json()) as Page
    const text = await response.text()
    // What the protocol asks for: the server is busy, try again.
    if (response.status < 502 || response.status > 504) throw new Error(`Trino answered ${response.status}: ${text}`)
    await delay(100)
  }
}
