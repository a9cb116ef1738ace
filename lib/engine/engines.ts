import type { CatalogueProblem } from '../catalogue/catalogue-problem.js'
import { AnalyticsError } from '../errors.js'
import type { QueryExample } from '../model.js'
import type { ProjectRecord } from '../ports.js'
import { ResultFacts } from './facts.js'
import type { Engine, EngineHealth, EngineHost, OpenEngine, PoolStats } from './port.js'
import { Results } from './results.js'

/** An engine, the results that it has produced so far, and facts about them. */
export interface RunningEngine {
  engine: Engine
  results: Results
  facts: ResultFacts
}

/** A check of a catalogue takes a second or two. */
const CHECK_ENDS_MS = 300_000
/** Most mistakes of a catalogue that are told. */
const MOST_MISTAKES = 100
const DEFAULT_RESULT_BYTES = 2 * 1024 ** 3

/** What a host chooses: the default engine, and others that projects may name. */
interface ChosenEngines {
  engine: OpenEngine
  engines?: Readonly<Record<string, OpenEngine>> | undefined
  /** See `AnalyticsOptions`. */
  resultBytes?: number | undefined
}

/** The engines of a service: the default one, and others that projects name. */
export class Engines {
  readonly #host: EngineHost
  readonly #default: RunningEngine
  readonly #named: ReadonlyMap<string, RunningEngine>
  readonly #closing = new AbortController()
  readonly #checking: Promise<void>
  #mistakes: readonly CatalogueProblem[] | null = null

  constructor(options: ChosenEngines, host: EngineHost) {
    const { engine, engines = {}, resultBytes = DEFAULT_RESULT_BYTES } = options
    if (!(Number.isSafeInteger(resultBytes) && resultBytes > 0))
      throw new TypeError('resultBytes must be a whole number above 0')
    this.#host = host
    // All options are read before the first engine starts.
    const openDefault = openerOf(engine)
    const others = Object.entries(engines).map(
      ([name, given]) => [name, openerOf(given, `engines.${name}`)] as const,
    )
    const opened = (open: OpenEngine): RunningEngine => {
      const engine = open(host)
      const { limits } = host
      return {
        engine,
        results: new Results(engine, limits, resultBytes),
        facts: new ResultFacts(engine, limits),
      }
    }
    this.#default = opened(openDefault)
    this.#named = new Map(others.map(([name, open]) => [name, opened(open)]))
    this.#checking = this.#checkCatalogue()
  }

  /** The engine of a project. Throws UNAVAILABLE when the project names one that is not there. */
  of({ engine: name, projectId }: ProjectRecord): RunningEngine {
    const found = name == null ? this.#default : this.#named.get(name)
    if (found) return found
    const cause = new Error(
      `the project ${projectId} names the engine "${name}", which the option engines does not have`,
    )
    this.#host.onEvent({ type: 'dependency', port: 'engine', cause })
    throw new AnalyticsError('UNAVAILABLE', 'The service cannot read the project now. Try again later.', {
      cause,
    })
  }

  /** The default engine. */
  get main(): Engine {
    return this.#default.engine
  }

  /** Names of the SQL that projects speak, that of the default engine first. */
  get dialects(): string[] {
    return [...new Set(this.#all.map(({ engine }) => engine.dialect))]
  }

  /** Whether statements of the default engine may have values. */
  get takesParameters(): boolean {
    return this.#default.engine.takesParameters ?? false
  }

  /** Worked queries in the dialect of the default engine. */
  get examples(): readonly QueryExample[] {
    return this.#default.engine.examples
  }

  async ready(): Promise<void> {
    await Promise.all(this.#all.map(({ engine }) => engine.ready()))
  }

  /** Mistakes in the catalogue; null until they are known, and if the default engine finds none out. */
  get mistakes(): readonly CatalogueProblem[] | null {
    return this.#mistakes
  }

  /** Has the default engine check the catalogue once it has started, so that its first calls wait for nothing. */
  async #checkCatalogue(): Promise<void> {
    const { signal } = this.#closing
    const { onEvent } = this.#host
    try {
      await this.main.ready()
      if (signal.aborted) return
      const checking = this.main.checkCatalogue?.(
        AbortSignal.any([signal, AbortSignal.timeout(CHECK_ENDS_MS)]),
      )
      const found = (await checking) ?? null
      this.#mistakes = found?.slice(0, MOST_MISTAKES) ?? null
      for (const { place, message } of this.#mistakes ?? []) onEvent({ type: 'catalogue', place, message })
    } catch (cause) {
      if (!signal.aborted) onEvent({ type: 'dependency', port: 'engine', cause })
    }
  }

  /** The load of all engines together. */
  stats(): PoolStats & { cacheBytes: number; resultBytes: number } {
    const sum = { connections: 0, ready: 0, busy: 0, waiting: 0, restarts: 0, cacheBytes: 0, resultBytes: 0 }
    for (const { engine, results } of this.#all) {
      const { pids: _, ...load } = engine.stats()
      const counted = { ready: load.connections, ...load, resultBytes: results.bytes }
      for (const [name, value] of Object.entries(counted)) sum[name as keyof typeof sum] += value
    }
    return sum
  }

  /** Which processes of the default engine respond: without the others, most projects can still be read. */
  async answering(withinMs: number): Promise<Required<EngineHealth>> {
    return { guard: true, sandbox: null, ...(await this.#default.engine.answering(withinMs)) }
  }

  pids(): number[] {
    return this.#all.flatMap(({ engine }) => engine.stats().pids ?? [])
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([
      this.#checking,
      ...this.#all.map(async ({ engine, results }) => {
        await engine.close() // first, so that no call stores more rows
        await results.close()
      }),
    ])
  }

  get #all(): RunningEngine[] {
    return [this.#default, ...this.#named.values()]
  }
}

function openerOf(given: OpenEngine, option = 'engine'): OpenEngine {
  if (typeof given === 'function') return given
  throw new TypeError(`${option} must be an engine, such as duckdbEngine({ folder: 'data/engine' })`)
}
