/** What the process of a {@link RowProcess} does. */
import { EngineFailure } from 'foldgate/engine'
import { type StatementRequest, TrinoClient } from '../protocol/client.js'
import type { FromProcess, RowTask, Told, ToldFailure, ToProcess } from './row-process.js'
import { pageOf, writeLines } from './rows.js'
import { spool } from './spool.js'

const running = new Map<number, AbortController>()
const tokens = new Map<number, (token: string | null) => void>()
let client: TrinoClient
let asked = 0

process.on('message', (message: ToProcess) => {
  if (message.kind === 'start') client = clientAt(message.at)
  else if (message.kind === 'leave') running.get(message.id)?.abort()
  else if (message.kind === 'token') tokens.get(message.id)?.(message.token)
  else void run(message.id, message.request, message.task)
})
process.on('disconnect', () => process.exit()) // the service has ended

function clientAt({ url, auth, ...at }: Told): TrinoClient {
  return new TrinoClient({ ...at, url: new URL(url), auth: auth === 'token' ? { token: askToken } : auth })
}

function tell(message: FromProcess): void {
  process.send?.(message)
}

async function run(
  id: number,
  request: Omit<StatementRequest, 'signal' | 'onStarted'>,
  task: RowTask,
): Promise<void> {
  const leaving = new AbortController()
  running.set(id, leaving)
  const { signal } = leaving
  try {
    const batches = client.run({ ...request, signal, onStarted: () => tell({ kind: 'started', id }) })
    tell({ kind: 'made', id, made: await make(batches, task) })
  } catch (cause) {
    tell({ kind: 'failed', id, failure: told(cause) })
  } finally {
    running.delete(id)
  }
}

function make(batches: ReturnType<TrinoClient['run']>, task: RowTask) {
  switch (task.kind) {
    case 'page':
      return pageOf(batches, task.range, task.limits)
    case 'lines':
      return writeLines(batches, task.range, task.limits, task.path)
    case 'spool':
      return spool(batches, task.path, task.mostBytes)
  }
}

function askToken(): Promise<string> {
  const id = ++asked
  return new Promise((resolve, reject) => {
    tokens.set(id, token => {
      tokens.delete(id)
      if (token === null) reject(new Error('the option trino.auth.token gave none'))
      else resolve(token)
    })
    tell({ kind: 'token', id })
  })
}

function told(cause: unknown): ToldFailure {
  const text = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
  if (!(cause instanceof EngineFailure))
    return { kind: 'fault', message: text(cause), offset: undefined, cause: text(cause) }
  const { kind, message, offset } = cause
  const inner =
    cause.cause instanceof Error && cause.cause.cause ? [cause.cause, cause.cause.cause] : [cause.cause]
  return { kind, message, offset, cause: inner.map(text).join(': ') }
}
