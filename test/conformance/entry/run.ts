import { KEYS } from '../../service/service.js'
import type { Call, Case, Downloaded, Given, Outcome } from './case.js'
import { follow } from './download.js'
import { ENTRIES, type Entry } from './entry.js'
import type { ServiceName } from './services.js'
import type { Site, World } from './world.js'

/** The outcome of a case at an entry point. */
export interface Run {
  outcome: Outcome
  download?: Downloaded
}

type Entries = Record<ServiceName, Record<string, Entry>>

/** Number of cases that run at once. */
const AT_ONCE = 6

/** Runs cases at entry points: each set-up once, several cases at once, and those that move the clock last. */
export class Runner {
  readonly #world: World
  readonly #entries: Entries
  readonly #entriesOf: (one: Case) => readonly string[]
  readonly #runs = new Map<Case, Map<string, Promise<Run>>>()
  readonly #given = new Map<Case['setUp'], Promise<Given>>()

  /** Starts the cases, each at its entry points. */
  constructor(world: World, cases: readonly Case[], entriesOf: (one: Case) => readonly string[]) {
    this.#world = world
    this.#entriesOf = entriesOf
    const names = [...new Set(cases.flatMap(entriesOf))]
    const services = Object.keys(world.sites) as ServiceName[]
    const opened = (name: ServiceName): Record<string, Entry> =>
      Object.fromEntries(names.map(entry => [entry, (ENTRIES[entry] as (site: Site) => Entry)(world.sites[name])]))
    this.#entries = Object.fromEntries(services.map(name => [name, opened(name)])) as Entries
    this.#start(cases)
  }

  /** Resolves to the outcome of a case at an entry point. */
  async at(entry: string, one: Case): Promise<Run> {
    return (await this.#runsOf(one).get(entry)) as Run
  }

  close(): void {
    for (const entries of Object.values(this.#entries)) for (const entry of Object.values(entries)) entry.close?.()
  }

  #runsOf(one: Case): ReadonlyMap<string, Promise<Run>> {
    return this.#runs.get(one) ?? new Map()
  }

  #start(cases: readonly Case[]): void {
    const together = cases.filter(one => !one.alone)
    const free = Array.from({ length: AT_ONCE }, () => Promise.resolve())
    together.forEach((one, index) => {
      free[index % AT_ONCE] = this.#queue(one, free[index % AT_ONCE] as Promise<void>)
    })
    let last = Promise.all(free).then(() => {})
    const waiting = together.filter(({ on }) => on === 'busy').flatMap(one => [...this.#runsOf(one).values()])
    void Promise.allSettled(waiting).then(() => this.#world.release())
    for (const one of cases.filter(({ alone }) => alone)) last = this.#queue(one, last)
  }

  /** Runs a case at its entry points in turn, once `before` has resolved. */
  #queue(one: Case, before: Promise<void>): Promise<void> {
    const runs = new Map<string, Promise<Run>>()
    let last: Promise<unknown> = before
    for (const entry of this.#entriesOf(one)) {
      const run = last.then(() => this.#run(one, entry))
      last = run.catch(() => {}) // the test that awaits the run reports its failure
      runs.set(entry, run)
    }
    this.#runs.set(one, runs)
    return last.then(() => {})
  }

  async #run(one: Case, name: string): Promise<Run> {
    const service = one.on ?? 'plain'
    const entry = this.#entries[service][name] as Entry
    const given = this.#given.get(one.setUp) ?? Promise.resolve(one.setUp?.(this.#world) ?? {})
    this.#given.set(one.setUp, given)
    const call = callOf(one, await given)
    const outcome = await entry.call(call)
    if (!one.download || !outcome.result) return { outcome }
    this.#world.sites[service].service.clock.advance(one.download.afterMs ?? 0)
    const link = outcome.result as { url: string; bytes: number }
    return { outcome, download: await follow(link, { key: call.key, ...one.download }) }
  }
}

function callOf(one: Case, { projectId, key, cursor, snapshot }: Given): Call {
  const params = one.params as { page?: object } | undefined
  const changed = {
    ...params,
    ...(projectId === undefined ? {} : { projectId }),
    ...(snapshot === undefined ? {} : { snapshot }),
    ...(cursor === undefined ? {} : { page: { ...params?.page, cursor } }),
  }
  const isGiven = [projectId, cursor, snapshot].some(each => each !== undefined)
  return {
    method: one.method,
    ...(isGiven ? { params: changed } : 'params' in one ? { params } : {}),
    key: key ?? (one.key === undefined ? KEYS.north : one.key),
  }
}
