import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import {
  cancelled,
  EngineFailure,
  type PageRange,
  type RowRange,
  type RowsPage,
  type WrittenChunk,
} from 'foldgate/engine'
import type { GivenRows } from 'foldgate/internal'
import type { Coordinator, StatementRequest } from '../protocol/client.js'
import type { RowLimits } from './rows.js'

/** What is made of the rows of a statement. */
export type RowTask =
  | { kind: 'page'; range: PageRange; limits: RowLimits }
  | { kind: 'lines'; range: RowRange; limits: RowLimits; path: string }
  | { kind: 'spool'; folder: string; mostBytes: number }

/** A page, a file of lines, or rows to be exported. */
type Made<Task extends RowTask> = { page: RowsPage; lines: WrittenChunk; spool: GivenRows }[Task['kind']]

/** Where the process asks, and as whom. A token that may change is asked of the service each time. */
export interface Told {
  url: string
  user: string
  catalog: string
  auth: { password: string } | 'token' | undefined
}

export type ToProcess =
  | { kind: 'start'; at: Told }
  | { kind: 'run'; id: number; request: Omit<StatementRequest, 'signal' | 'onStarted'>; task: RowTask }
  | { kind: 'leave'; id: number }
  | { kind: 'token'; id: number; token: string | null }

export type FromProcess =
  | { kind: 'started'; id: number }
  | { kind: 'made'; id: number; made: Made<RowTask> }
  | { kind: 'failed'; id: number; failure: ToldFailure }
  | { kind: 'token'; id: number }

/** A failure between processes, which pass no classes. */
export interface ToldFailure {
  kind: EngineFailure['kind']
  message: string
  offset: number | undefined
  cause: string
}

interface Waiting {
  request: StatementRequest
  resolve(made: Made<RowTask>): void
  reject(cause: unknown): void
}

/** What the process needs of the service's variables: which certificates are trusted. */
const VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/**
 * A process that asks for the rows of callers' statements and writes them as JSON. In the service itself, an answer of a
 * few megabytes would keep everybody else waiting for 30 to 90 ms, and one that fills the memory would end it: a thread
 * whose memory ends takes the whole process with it.
 */
export class RowProcess {
  readonly #at: Coordinator
  readonly #memoryMb: number
  readonly #waiting = new Map<number, Waiting>()
  #child: ChildProcess | undefined
  #count = 0

  /** A process that needs more than `memoryMb` ends, and the next statement starts another one. */
  constructor(at: Coordinator, memoryMb = 1024) {
    this.#at = at
    this.#memoryMb = memoryMb
  }

  get pids(): number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid]
  }

  /** Runs a statement, and returns what the process makes of its rows. */
  run<Task extends RowTask>(request: StatementRequest, task: Task): Promise<Made<Task>> {
    const { signal, onStarted: _, ...plain } = request
    if (signal.aborted) return Promise.reject(cancelled())
    const child = this.#started()
    const id = ++this.#count
    const leave = () => send(child, { kind: 'leave', id })
    signal.addEventListener('abort', leave)
    const made = new Promise<Made<RowTask>>((resolve, reject) => {
      this.#waiting.set(id, { request, resolve, reject })
      hold(child, true)
      send(child, { kind: 'run', id, request: plain, task })
    })
    return made.finally(() => {
      signal.removeEventListener('abort', leave)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) hold(child, false)
    }) as Promise<Made<Task>>
  }

  close(): void {
    this.#child?.kill('SIGKILL')
  }

  #started(): ChildProcess {
    if (this.#child) return this.#child
    const { url, auth, user, catalog } = this.#at
    const child = fork(fileURLToPath(new URL('./row-process-main.js', import.meta.url)), {
      serialization: 'advanced',
      execArgv: [`--max-old-space-size=${this.#memoryMb}`],
      env: Object.fromEntries(VARIABLES.map(name => [name, process.env[name]])),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const ended = (cause: unknown) => this.#ended(child, cause)
    child.on('message', (message: FromProcess) => this.#hear(child, message))
    child.on('error', ended)
    child.on('exit', (code, signal) => ended(new Error(`it ended with ${signal ?? code}`)))
    this.#child = child
    const toldAuth = auth && ('token' in auth ? 'token' : auth)
    send(child, { kind: 'start', at: { url: url.href, user, catalog, auth: toldAuth } })
    return child
  }

  /** Fails what the process was doing. */
  #ended(child: ChildProcess, cause: unknown): void {
    if (this.#child !== child) return
    this.#child = undefined
    for (const { reject } of this.#waiting.values())
      reject(new EngineFailure('disk', 'The process that reads rows has ended.', { cause }))
  }

  #hear(child: ChildProcess, message: FromProcess): void {
    const { kind, id } = message
    const waiting = this.#waiting.get(id)
    if (kind === 'token') void this.#giveToken(child, id)
    else if (kind === 'started') waiting?.request.onStarted?.()
    else if (kind === 'made') waiting?.resolve(message.made)
    else waiting?.reject(heard(message.failure))
  }

  async #giveToken(child: ChildProcess, id: number): Promise<void> {
    const { auth } = this.#at
    const given = auth && 'token' in auth ? auth.token : ''
    const asked = Promise.resolve().then(() => (typeof given === 'function' ? given() : given))
    send(child, { kind: 'token', id, token: await asked.catch(() => null) })
  }
}

/** Sends a message. That the process has ended is told by its event. */
function send(child: ChildProcess, message: ToProcess): void {
  if (child.connected) child.send(message, () => {})
}

/** Whether the service stays alive for the process: while it has work. */
function hold(child: ChildProcess, isHeld: boolean): void {
  for (const each of [child, child.channel]) isHeld ? each?.ref() : each?.unref()
}

function heard({ kind, message, offset, cause }: ToldFailure): EngineFailure {
  return new EngineFailure(kind, message, { offset, cause: new Error(cause) })
}
