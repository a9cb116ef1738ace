/** What the process of a {@link RowProcess} does. */
import { EngineFailure } from 'foldgate/engine'
import { Channel, cloneIn } from 'foldgate/internal'
import { type StatementRequest, TrinoClient } from '../protocol/client.js'
import {
  type ClusterAccess,
  FROM_PROCESS,
  type RowFailure,
  type RowTask,
  type ToProcess,
} from './messages.js'
import { pageOf, writeLines } from './rows.js'
import { spool } from './spool.js'

const running = new Map<number, AbortController>()
const tokens = new Map<number, (token: string | null) => void>()
let client: TrinoClient
let asked = 0

const channel = Channel.toHost(
  frame => take(cloneIn(frame) as ToProcess),
  () => process.exit(), // the service has ended
)

function take(message: ToProcess): void {
  if (message.kind === 'start') client = clientAt(message.at)
  else if (message.kind === 'leave') running.get(message.id)?.abort()
  else if (message.kind === 'token') tokens.get(message.id)?.(message.token)
  else void run(message.id, message.request, message.task)
}

function clientAt({ url, auth, ...at }: ClusterAccess): TrinoClient {
  return new TrinoClient({ ...at, url: new URL(url), auth: auth === 'token' ? { token: askToken } : auth })
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
    const batches = client.run({
      ...request,
      signal,
      onStarted: () => channel.send(FROM_PROCESS.started, { id }),
    })
    const { json, ...made } = await make(batches, task)
    channel.send(FROM_PROCESS.made, { id, made }, json)
  } catch (cause) {
    channel.send(FROM_PROCESS.failed, { id, failure: told(cause) })
  } finally {
    running.delete(id)
  }
}

/** Makes the outcome of a task, without the fields that the service knows itself. */
async function make(
  batches: ReturnType<TrinoClient['run']>,
  task: RowTask,
): Promise<{ json?: Uint8Array; [name: string]: unknown }> {
  switch (task.kind) {
    case 'page':
      return { ...(await pageOf(batches, task.range, task.limits)) }
    case 'lines': {
      const { path: _, bytes: __, ...lines } = await writeLines(batches, task.range, task.limits, task.path)
      return lines
    }
    case 'spool': {
      const { columns, lineBytes } = await spool(batches, task.path, task.mostBytes)
      return { columns, lineBytes }
    }
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
    channel.send(FROM_PROCESS.token, { id })
  })
}

function told(cause: unknown): RowFailure {
  const text = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))
  if (!(cause instanceof EngineFailure)) return { kind: 'fault', message: text(cause), cause: text(cause) }
  const { kind, message, offset } = cause
  const inner =
    cause.cause instanceof Error && cause.cause.cause ? [cause.cause, cause.cause.cause] : [cause.cause]
  return { kind, message, ...(offset === undefined ? {} : { offset }), cause: inner.map(text).join(': ') }
}
