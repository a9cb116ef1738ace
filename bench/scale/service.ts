import { randomBytes } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { openStore } from '#server/database/store.js'
import { digestOf } from '#server/store/digest.js'
import { addCustomers, type Customer, OWNER } from '../../test/check/servers/customers.js'
import { ask as runCommand } from '../../test/server/command.js'
import { call, type Served, serveWith, stop } from '../../test/server/server.js'
import { storeInPostgres } from '../../test/server/stores.js'
import { FakeBucket } from './bucket.js'
import { Filler, fillStore, type Size } from './filler.js'
import { CountedPostgres } from './postgres.js'

const SQL = 'SELECT count(*) AS sites FROM sites'
/** What is called: one organization often, the others once in each of the lives of a server. */
export const CALLED = { organizations: 5, projects: 10, keys: 50 }
const LIMITS = { connections: 2, residents: 12, quota: '1000000/1h', keepSnapshots: 2 }
const WARM_MS = 8_000
const QUIET_MS = 1_000
const MOST_QUIET_MS = 15_000
const TICK_MS = 10
/** How often lists, pages and `/ready` are asked for. */
export const TIMES = 40
/** A call that is UNAVAILABLE is repeated for this long. */
const GIVE_UP_MS = 60_000

/** How often each kind of request or statement was made. */
export type Counts = ReadonlyMap<string, number>

/** What was measured, each kind of call in milliseconds. */
export interface Measured {
  start: number[]
  /** From when the server is ready until it sends no requests to the bucket. */
  busy: number[]
  warm: number[]
  cold: number[]
  list: number[]
  page: number[]
  ready: number[]
  /** Processor time of the server's own process per call. */
  cpu: { warm: number[]; list: number[]; page: number[]; ready: number[] }
  memoryMib: number[]
  mostMemoryMib: number[]
  /** S3 requests and statements: of a start, until the server is quiet; and of warm calls. */
  counts: { start: Counts[]; warm: Counts[]; ready: Counts[] }
}

/** A service of some size, in a PostgreSQL store and a bucket of its own. */
export class ScaledService {
  readonly measured: Measured = {
    ...{ start: [], busy: [], warm: [], cold: [], list: [], page: [], ready: [] },
    cpu: { warm: [], list: [], page: [], ready: [] },
    ...{ memoryMib: [], mostMemoryMib: [] },
    counts: { start: [], warm: [], ready: [] },
  }
  readonly #folder: string
  readonly #bucket: FakeBucket
  readonly #postgres: CountedPostgres
  readonly #customers: readonly Customer[]
  readonly #cookie: string
  #lives = 0

  private constructor(
    folder: string,
    { bucket, postgres }: { bucket: FakeBucket; postgres: CountedPostgres },
    customers: readonly Customer[],
    cookie: string,
  ) {
    this.#folder = folder
    this.#bucket = bucket
    this.#postgres = postgres
    this.#customers = customers
    this.#cookie = cookie
  }

  /** Makes the service, with its files in this folder. */
  static async make(folder: string, size: Size): Promise<ScaledService> {
    await mkdir(folder)
    const url = await storeInPostgres(folder)
    const bucket = await FakeBucket.open()
    const command = async (...args: string[]) => {
      const places = ['--store', url, '--shared', bucket.shared, '--data', join(folder, 'operator')]
      const { status, stdout, stderr } = await runCommand(folder, [...args, ...places], bucket.environment)
      if (status !== 0) throw new Error(`foldgate ${args.join(' ')} ended with ${status}: ${stderr}`)
      return stdout
    }
    const { keys, ...sizes } = CALLED
    const customers = await addCustomers({ command }, url, folder, { ...sizes, keys: keys / sizes.organizations })
    const manifest = bucket.keys.find(key => key.startsWith('snapshots/')) ?? ''
    const files = bucket.keys.filter(key => key.startsWith(`tables/${manifest.split('/')[1]}/`))
    const called = { ...CALLED, owner: OWNER, manifest, files: files.map(key => key.split('/').at(-1) ?? '') }
    await fillStore(url, size, called)
    bucket.filler = new Filler(size, called)
    const postgres = await CountedPostgres.before(url)
    return new ScaledService(folder, { bucket, postgres }, customers, await logIn(url))
  }

  close(): void {
    this.#bucket.close()
    this.#postgres.close()
  }

  /** Starts a server, measures everything once, and stops it. */
  async live(): Promise<void> {
    const { measured } = this
    const life = this.#lives++
    const startedAt = performance.now()
    this.#count()
    const places = ['--store', this.#postgres.url, '--shared', this.#bucket.shared, '--data', 'server']
    const server = await serveWith(this.#bucket.environment, this.#folder, ...places, LIMITS)
    try {
      await this.#untilReady(server)
      measured.start.push(performance.now() - startedAt)
      const readyAt = performance.now()
      await this.#untilQuiet()
      measured.busy.push(performance.now() - readyAt - QUIET_MS)
      measured.counts.start.push(this.#count())
      await this.#measureOthers(server, life)
      await this.#measureWarm(server)
      const status = await readFile(`/proc/${server.child.pid}/status`, 'utf8')
      const mib = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) / 1024
      measured.memoryMib.push(mib('VmRSS'))
      measured.mostMemoryMib.push(mib('VmHWM'))
    } finally {
      await stop(server.child)
    }
  }

  async #measureOthers(server: Served, life: number): Promise<void> {
    const { measured } = this
    const firsts = Array.from({ length: CALLED.organizations - 1 }, (_, at) => this.#customersOf(at + 1)[life])
    for (const customer of firsts) if (customer) measured.cold.push(await this.#query(server, customer))
    await this.#repeat(server, 'list', async time => {
      const { key = '' } = this.#customersOf(time % CALLED.organizations)[0] ?? {}
      return (await call(server.url, key, 'list')).status
    })
    const headers = { cookie: `foldgate=${this.#cookie}` }
    await this.#repeat(server, 'page', async () => {
      const page = await fetch(server.url, { headers })
      if (!(await page.text()).includes(OWNER)) throw new Error('the page of keys was not shown')
      return page.status
    })
    this.#count()
    await this.#repeat(server, 'ready', async time => {
      return (await fetch(server.url + (time % 2 === 0 ? '/ready' : '/ready?details'))).status
    })
    await this.#untilQuiet()
    measured.counts.ready.push(this.#count())
  }

  async #measureWarm(server: Served): Promise<void> {
    const { measured } = this
    const [first] = this.#customersOf(0)
    const keys = this.#customersOf(0).filter(({ projectId }) => projectId === first?.projectId)
    for (const customer of keys) await this.#query(server, customer)
    this.#count()
    const cpuBefore = await processorMs(server)
    const before = measured.warm.length
    for (const end = performance.now() + WARM_MS; performance.now() < end; ) {
      const customer = keys[measured.warm.length % keys.length]
      if (customer) measured.warm.push(await this.#query(server, customer))
    }
    const calls = measured.warm.length - before
    measured.cpu.warm.push(((await processorMs(server)) - cpuBefore) / calls)
    measured.counts.warm.push(new Map([...this.#count()].map(([kind, count]) => [kind, count / calls])))
  }

  async #repeat(
    server: Served,
    kind: 'list' | 'page' | 'ready',
    ask: (time: number) => Promise<number>,
  ): Promise<void> {
    const before = await processorMs(server)
    for (let time = 0; time < TIMES; time++) this.measured[kind].push(await timed(() => ask(time)))
    this.measured.cpu[kind].push(((await processorMs(server)) - before) / TIMES)
  }

  #query(server: Served, { key, projectId }: Customer): Promise<number> {
    return timed(async () => (await call(server.url, key, 'query', { projectId, sql: SQL })).status)
  }

  /** The projects of an organization with each of its keys. */
  #customersOf(organization: number): Customer[] {
    const each = this.#customers.length / CALLED.organizations
    return this.#customers.slice(organization * each, (organization + 1) * each)
  }

  async #untilReady(server: Served): Promise<void> {
    while ((await fetch(`${server.url}/ready`)).status !== 200) await setTimeout(TICK_MS)
  }

  /** Waits until the server has sent nothing to the bucket for a while. */
  async #untilQuiet(): Promise<void> {
    const sum = () => totalOf(this.#bucket.requests)
    let [since, last] = [performance.now(), sum()]
    for (const end = since + MOST_QUIET_MS; performance.now() < end && performance.now() - since < QUIET_MS; ) {
      await setTimeout(TICK_MS)
      const now = sum()
      if (now !== last) [since, last] = [performance.now(), now]
    }
  }

  /** What was counted since this was asked last. */
  #count(): Counts {
    const counted = new Map([...this.#bucket.requests, ...this.#postgres.statements])
    this.#bucket.requests.clear()
    this.#postgres.statements.clear()
    return counted
  }
}

function totalOf(counts: Counts): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}

/** The milliseconds until a request succeeds, which is repeated while the server is UNAVAILABLE. */
async function timed(ask: () => Promise<number>): Promise<number> {
  const startedAt = performance.now()
  for (;;) {
    const status = await ask()
    const ms = performance.now() - startedAt
    if (status === 200) return ms
    if (status !== 503 || ms > GIVE_UP_MS) throw new Error(`the server answered ${status}`)
  }
}

/** Opens a session of the user with the keys, and returns its token. */
async function logIn(url: string): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const store = await openStore(url)
  try {
    const { id } = await store.db.selectFrom('users').select('id').where('email', '=', OWNER).executeTakeFirstOrThrow()
    const now = Date.now()
    await store.db
      .insertInto('sessions')
      .values({ hash: digestOf(token), user_id: id, created_at: now, seen_at: now })
      .execute()
    return token
  } finally {
    await store.close()
  }
}

/** Processor time of the server's own process, without its engine processes. */
async function processorMs({ child }: Served): Promise<number> {
  const stat = await readFile(`/proc/${child.pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}
