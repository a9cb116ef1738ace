import type { ChildProcess } from 'node:child_process'
import type { GivenRows } from 'foldgate'
import {
  type ChunkRange,
  cancelled,
  EngineFailure,
  type PageRange,
  type RowsPage,
  type WrittenChunk,
} from 'foldgate/engine'
import { spawnCapped } from 'foldgate/internal'
import type { Coordinator, StatementRequest } from '../protocol/client.js'
import type { RowLimits } from './rows.js'

/** What is made of the rows of a statement. */
export type RowTask =
  | { kind: 'page'; range: PageRange; limits: RowLimits }
  | { kind: 'lines'; range: ChunkRange; limits: RowLimits; path: string }
  | { kind: 'spool'; path: string; mostBytes: number }

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

/** A quarter of it is for JavaScript, which holds the rows. */
const MEMORY_BYTES = 4 * 1024 ** 3

/**
 * A process that asks for the rows of callers' statements and writes them as JSON. In the service itself, an
 * answer of a few megabytes would keep everybody else waiting for 30 to 90 ms, and one that fills the memory
 * would end it: a thread whose memory ends takes the whole process with it.
 */
export class RowProcess {
  readonly #at: Coordinator
  readonly #folder: () => Promise<string>
  readonly #memoryLimitBytes: number
  readonly #waiting = new Map<number, Waiting>()
  #starting: Promise<ChildProcess> | undefined
  #child: ChildProcess | undefined
  #isClosed = false
  #count = 0

  /**
   * Runs the process in a folder. When it needs more than `memoryLimitBytes`, it ends, and the next statement
   * starts another one.
   */
  constructor(at: Coordinator, folder: () => Promise<string>, memoryLimitBytes = MEMORY_BYTES) {
    this.#at = at
    this.#folder = folder
    this.#memoryLimitBytes = memoryLimitBytes
  }

  get pids(): number[] {
    return this.#child?.pid === undefined ? [] : [this.#child.pid]
  }

  /** Runs a statement, and returns what the process makes of its rows. */
  async run<Task extends RowTask>(request: StatementRequest, task: Task): Promise<Made<Task>> {
    const { signal, onStarted: _, ...plain } = request
    if (signal.aborted) throw cancelled()
    this.#starting ??= this.#start()
    const child = await this.#starting
    if (signal.aborted) throw cancelled()
    const id = ++this.#count
    const leave = () => send(child, { kind: 'leave', id })
    signal.addEventListener('abort', leave)
    const made = new Promise<Made<RowTask>>((resolve, reject) => {
      this.#waiting.set(id, { request, resolve, reject })
      if (this.#child !== child) return reject(ended(new Error('it ended before the statement')))
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
    this.#isClosed = true
    this.#child?.kill('SIGKILL')
  }

  async #start(): Promise<ChildProcess> {
    try {
      const child = await spawnCapped(
        {
          script: new URL('./row-process-main.js', import.meta.url),
          folder: await this.#folder(),
          memoryLimitBytes: this.#memoryLimitBytes,
          env: Object.fromEntries(VARIABLES.map(name => [name, process.env[name]])),
        },
        { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] },
      )
      if (this.#isClosed) child.kill('SIGKILL')
      this.#child = child
      const onEnd = (cause: unknown) => this.#ended(child, cause)
      child.on('message', (message: FromProcess) => this.#hear(child, message))
      child.on('error', onEnd)
      child.on('exit', (code, signal) => onEnd(new Error(`it ended with ${signal ?? code}`)))
      const { url, auth, user, catalog } = this.#at
      const toldAuth = auth && ('token' in auth ? 'token' : auth)
      send(child, { kind: 'start', at: { url: url.href, user, catalog, auth: toldAuth } })
      return child
    } catch (cause) {
      this.#starting = undefined // the next statement tries again
      throw ended(cause)
    }
  }

  /** Fails what the process was doing. */
  #ended(child: ChildProcess, cause: unknown): void {
    if (this.#child !== child) return
    this.#child = undefined
    this.#starting = undefined
    for (const { reject } of this.#waiting.values()) reject(ended(cause))
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

function ended(cause: unknown): EngineFailure {
  return new EngineFailure('disk', 'The process that reads rows has ended.', { cause })
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
