import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { directorySnapshots } from 'foldgate'
import { lineOf, type RefreshEvent } from '../../../examples/refresh/events.js'
import { createHost } from '../../../examples/refresh/host.js'
import type { Clock } from '../../../examples/refresh/schedule.js'
import { type Answer, call, freePort } from '../../server/server.js'

export const INTERVAL_MS = 300_000
const KEY = 'key-of-the-tests'

/** A clock that stands still until it is told how much time passes. */
export class StoppedClock implements Clock {
  #now = 0
  #due: { at: number; callback: () => void }[] = []

  now = () => this.#now

  after(ms: number, callback: () => void): () => void {
    const entry = { at: this.#now + ms, callback }
    this.#due.push(entry)
    return () => {
      this.#due = this.#due.filter(each => each !== entry)
    }
  }

  /** How many callbacks are still to come. */
  get pending(): number {
    return this.#due.length
  }

  pass(ms: number): void {
    this.#now += ms
    const due = this.#due.filter(({ at }) => at <= this.#now)
    this.#due = this.#due.filter(({ at }) => at > this.#now)
    for (const { callback } of due) callback()
  }
}

/** The host of the example in this process, with a clock of the test. */
export class Started {
  readonly clock = new StoppedClock()
  readonly events: RefreshEvent[] = []
  readonly errors: unknown[] = []
  readonly folder: string
  #seen = 0
  #hasEnded = false
  #wake = () => {}
  #host!: Awaited<ReturnType<typeof createHost>>
  #urls: string[] = []

  private constructor(folder: string) {
    this.folder = folder
  }

  static async open(database: string): Promise<Started> {
    const started = new Started(await mkdtemp(join(tmpdir(), 'foldgate-refresh-')))
    await started.#open(database)
    return started
  }

  get snapshots() {
    return directorySnapshots(join(this.folder, 'snapshots'))
  }

  /** Begins: the first refresh is due at once. */
  start(): void {
    this.#host.schedule.start()
  }

  /** Passes the interval and waits for the end of what is due then. */
  async refresh(): Promise<RefreshEvent> {
    if (this.clock.pending === 0) this.start()
    else this.clock.pass(INTERVAL_MS)
    return this.next('refreshed', 'failed', 'standby', 'stopped')
  }

  /** Waits for the next event of one of these types, after those that were waited for. */
  async next(...types: RefreshEvent['type'][]): Promise<RefreshEvent> {
    for (;;) {
      while (this.#seen < this.events.length) {
        const event = this.events[this.#seen++]
        if (event && types.includes(event.type)) return event
      }
      await new Promise<void>(resolve => {
        this.#wake = resolve
      })
    }
  }

  ofType<Type extends RefreshEvent['type']>(type: Type): Extract<RefreshEvent, { type: Type }>[] {
    return this.events.filter((event): event is Extract<RefreshEvent, { type: Type }> => event.type === type)
  }

  /** What the log has. */
  get lines(): Record<string, unknown>[] {
    return this.events.map(event => JSON.parse(lineOf(event, new Date(0))))
  }

  call(method: string, params: object = {}): Promise<Answer> {
    return call(this.#urls[0] ?? '', KEY, method, params)
  }

  /** What the callers of a tenant are told. */
  async revenue(projectId: string): Promise<Record<string, unknown>[]> {
    const { status, items } = await this.call('query', { projectId, sql: 'SELECT country, revenue FROM revenue' })
    assert.equal(status, 200)
    return items
  }

  /** The samples of a metric by their labels. */
  async metric(name: string): Promise<Record<string, number>> {
    const text = await (await fetch(`${this.#urls[1]}/metrics`)).text()
    const samples = text.matchAll(/^(\w+)(?:\{project="(.*?)"\})? (.+)$/gm)
    return Object.fromEntries(
      [...samples].filter(([, of]) => of === name).map(([, , project = '', value]) => [project, Number(value)]),
    )
  }

  async close(): Promise<void> {
    await this.end()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** As SIGTERM does. */
  async end(): Promise<void> {
    if (this.#hasEnded) return
    this.#hasEnded = true
    for (const server of [this.#host.server, this.#host.metricsServer]) {
      server.closeAllConnections()
      server.close()
    }
    await this.#host.close()
  }

  async #open(database: string): Promise<void> {
    const ports = [await freePort(), await freePort()]
    this.#urls = ports.map(port => `http://127.0.0.1:${port}`)
    this.#host = await createHost({
      database,
      folder: this.folder,
      snapshots: join(this.folder, 'snapshots'),
      baseUrl: this.#urls[0] ?? '',
      secret: 'a secret of the tests, long enough',
      key: KEY,
      intervalMs: INTERVAL_MS,
      clock: this.clock,
      onRefresh: event => {
        this.events.push(event)
        this.#wake()
      },
      onError: cause => this.errors.push(cause),
    })
    for (const [index, server] of [this.#host.server, this.#host.metricsServer].entries())
      await once(server.listen(ports[index], '127.0.0.1'), 'listening')
  }
}

/** Id of the project of a tenant. */
export const projectOf = (tenant: number) => `5a0b0e52-6f3c-4d0e-9a57-${String(tenant).padStart(12, '0')}`
