import type { ChildProcess } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { cancelled, EngineFailure, type RowsPage, type WrittenChunk } from 'foldgate/engine'
import {
  Breach,
  Channel,
  checked,
  describeExit,
  type Frame,
  type GivenRows,
  spawnCapped,
  whyEnded,
} from 'foldgate/internal'
import type { Coordinator, StatementRequest } from '../protocol/client.js'
import {
  FAILED,
  FROM_PROCESS,
  MADE,
  OF_ID,
  type RowFailure,
  type RowTask,
  type TaskResult,
  TOLD,
  type ToProcess,
} from './messages.js'

/** A page, a file of lines, or rows to be exported. */
type RowOutcome<Task extends RowTask> = {
  page: RowsPage
  lines: WrittenChunk
  spool: GivenRows
}[Task['kind']]

/** A statement that the process has not finished, also when nobody waits for it any more. */
interface RunningStatement {
  request: StatementRequest
  task: RowTask
  resolve(made: RowOutcome<RowTask> | Promise<RowOutcome<RowTask>>): void
  reject(cause: unknown): void
  hasStarted: boolean
}

/** The process, and the channel to it. */
interface Started {
  child: ChildProcess
  channel: Channel
}

/** What the process needs of the service's variables: which certificates are trusted. */
const VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR']

/** A quarter of it is for JavaScript, which holds the rows. */
const MEMORY_BYTES = 4 * 1024 ** 3

/**
 * A process that asks for the rows of callers' statements and writes them as JSON. In the service itself, an answer of
 * a few megabytes would keep everybody else waiting for 30 to 90 ms, and an answer that fills the memory would end it:
 * a thread whose memory ends takes the whole process with it.
 */
export class RowProcess {
  readonly #at: Coordinator
  readonly #folder: () => Promise<string>
  readonly #memoryLimitBytes: number
  readonly #running = new Map<number, RunningStatement>()
  #starting: Promise<Started> | undefined
  #started: Started | undefined
  #isClosed = false
  #count = 0
  /** Tokens that were asked for and not given yet. */
  #tokens = 0

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
    const pid = this.#started?.child.pid
    return pid === undefined ? [] : [pid]
  }

  /** Runs a statement, and returns what the process makes of its rows. */
  async run<Task extends RowTask>(request: StatementRequest, task: Task): Promise<RowOutcome<Task>> {
    const { signal, onStarted: _, ...plain } = request
    if (signal.aborted) throw cancelled()
    this.#starting ??= this.#start()
    const started = await this.#starting
    if (signal.aborted) throw cancelled()
    const id = ++this.#count
    const { channel } = started
    const leave = () => tell(channel, { kind: 'leave', id })
    signal.addEventListener('abort', leave)
    const made = new Promise<RowOutcome<RowTask>>((resolve, reject) => {
      if (this.#started !== started) return reject(ended(new Error('it ended before the statement')))
      this.#running.set(id, { request, task, resolve, reject, hasStarted: false })
      hold(started, true)
      tell(channel, { kind: 'run', id, request: plain, task })
    })
    return made.finally(() => signal.removeEventListener('abort', leave)) as Promise<RowOutcome<Task>>
  }

  close(): void {
    this.#isClosed = true
    this.#started?.child.kill('SIGKILL')
  }

  async #start(): Promise<Started> {
    try {
      const child = await spawnCapped(
        {
          script: new URL('./row-process-main.js', import.meta.url),
          folder: await this.#folder(),
          memoryLimitBytes: this.#memoryLimitBytes,
          env: Object.fromEntries(VARIABLES.map(name => [name, process.env[name]])),
        },
        'ignore',
      )
      child.on('error', cause => this.#end(child, cause))
      if (child.pid === undefined) throw new Error('it does not start')
      const channel = Channel.to(child, {
        allows: kind => this.#allows(kind),
        hear: frame => this.#hear(channel, frame),
        breached: breach => {
          this.#end(child, breach)
          child.kill('SIGKILL')
        },
        closed: () => child.kill('SIGKILL'),
      })
      child.on('exit', (code, signal) => {
        const known = { stderr: '', memoryLimitBytes: this.#memoryLimitBytes, isKilled: this.#isClosed }
        this.#end(child, new Error(`it ${whyEnded(describeExit(child, [code, signal], known))}`))
      })
      if (this.#isClosed) child.kill('SIGKILL')
      this.#started = { child, channel }
      const { url, auth, user, catalog } = this.#at
      const toldAuth = auth && ('token' in auth ? 'token' : auth)
      tell(channel, { kind: 'start', at: { url: url.href, user, catalog, auth: toldAuth } })
      return this.#started
    } catch (cause) {
      this.#starting = undefined // the next statement tries again
      throw ended(cause)
    }
  }

  /** Fails what the process was doing. */
  #end(child: ChildProcess, cause: unknown): void {
    if (this.#started?.child !== child) return
    this.#started = undefined
    this.#starting = undefined
    for (const { reject } of this.#running.values()) reject(ended(cause))
    this.#running.clear()
    this.#tokens = 0
  }

  /** What a message of a kind may have: a page has the bytes of one that a statement asks for. */
  #allows(kind: number) {
    if (this.#running.size === 0) return OUT_OF_TURN
    if (kind === FROM_PROCESS.started || kind === FROM_PROCESS.token) return { head: ID_BYTES, body: 0 }
    const pages = [...this.#running.values()].map(({ task }) => (task.kind === 'page' ? bytesOf(task) : 0))
    if (kind === FROM_PROCESS.made) return { head: HEAD_BYTES, body: Math.max(...pages) }
    if (kind === FROM_PROCESS.failed) return { head: HEAD_BYTES, body: 0 }
    return 'it sent a message of an unknown kind'
  }

  #hear(channel: Channel, { kind, head, body }: Frame): void {
    const { id } = (head ?? {}) as { id?: unknown }
    if (kind === FROM_PROCESS.token) {
      if (++this.#tokens > MOST_TOKENS) throw new Breach('it asks for too many tokens')
      void this.#giveToken(channel, checked(OF_ID, head).id)
      return
    }
    const running = this.#running.get(Number(id))
    if (!running) throw new Breach('it told of a statement that it does not run')
    if (kind === FROM_PROCESS.started) {
      if (running.hasStarted) throw new Breach(OUT_OF_TURN)
      running.hasStarted = true
      running.request.onStarted?.()
      return
    }
    const settle =
      kind === FROM_PROCESS.made
        ? running.resolve.bind(
            null,
            outcomeOf(running.task, checked<unknown>(MADE[running.task.kind], head), body),
          )
        : running.reject.bind(null, heard(checked(FAILED, head).failure))
    this.#running.delete(Number(id))
    if (this.#running.size === 0 && this.#started) hold(this.#started, false)
    settle()
  }

  async #giveToken(channel: Channel, id: number): Promise<void> {
    const { auth } = this.#at
    const given = auth && 'token' in auth ? auth.token : ''
    const asked = Promise.resolve().then(() => (typeof given === 'function' ? given() : given))
    const token = await asked.catch(() => null)
    this.#tokens = Math.max(0, this.#tokens - 1)
    tell(channel, { kind: 'token', id, token })
  }
}

const OUT_OF_TURN = 'it sent a message out of turn'
const ID_BYTES = 64
const HEAD_BYTES = 4 * 1024 ** 2
/** Room for commas between the rows of a page. */
const BESIDE_ROWS_BYTES = 64 * 1024
/** Most tokens that are asked for at once. */
const MOST_TOKENS = 1_000

function bytesOf({ range, limits }: Extract<RowTask, { kind: 'page' }>): number {
  return Math.max(range.pageBytes ?? limits.pageBytes, limits.rowBytes) + BESIDE_ROWS_BYTES
}

/** The outcome of a task, with the fields that the service knows itself: the path of the file, and its size. */
function outcomeOf(
  task: RowTask,
  told: unknown,
  body: Buffer,
): RowOutcome<RowTask> | Promise<RowOutcome<RowTask>> {
  const { made } = told as { made: unknown }
  if (task.kind === 'page') return { json: body, ...(made as TaskResult<'page'>) }
  const { path } = task
  if (task.kind === 'spool') return { path, ...(made as TaskResult<'spool'>) }
  return stat(path).then(({ size: bytes }) => ({ path, bytes, ...(made as TaskResult<'lines'>) }))
}

function ended(cause: unknown): EngineFailure {
  return new EngineFailure('disk', 'The process that reads rows has ended.', { cause })
}

/** Sends a message. That the process has ended is told by its event. */
function tell(channel: Channel, message: ToProcess): void {
  channel.sendClone(TOLD, message)
}

/** Whether the service stays alive for the process: while it has work. */
function hold({ child, channel }: Started, isHeld: boolean): void {
  isHeld ? child.ref() : child.unref()
  channel.hold(isHeld)
}

function heard({ kind, message, offset, cause }: RowFailure): EngineFailure {
  return new EngineFailure(kind, message, { offset, cause: new Error(cause) })
}
