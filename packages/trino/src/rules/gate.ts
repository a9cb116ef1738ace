import { EngineFailure, type EngineHost } from 'foldgate/engine'
import type { TrinoClient } from '../protocol/client.js'
import type { AccessRuleNames } from './access-rules.js'
import { probe, type RunAs } from './probe.js'

const STATEMENT_MS = 30_000
/** A cluster that does not keep callers apart, or that does not answer, is tried again after this long. */
const AGAIN_AFTER_MS = 10_000

/** Lets no statement of a caller through before the cluster was seen to keep callers apart. */
export class Gate {
  readonly #run: RunAs
  readonly #names: AccessRuleNames
  readonly #onEvent: EngineHost['onEvent']
  #probing: Promise<void> | null = null
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(client: TrinoClient, names: AccessRuleNames, onEvent: EngineHost['onEvent']) {
    this.#run = (user, sql) => outcomeOf(client, user, sql)
    this.#names = names
    this.#onEvent = onEvent
  }

  /** Throws while the cluster does not keep callers apart, or cannot be asked. The host gets the reason. */
  async pass(): Promise<void> {
    this.#probing ??= this.#probe()
    try {
      await this.#probing
    } catch (cause) {
      if (performance.now() - this.#failedAt > AGAIN_AFTER_MS) this.#probing = null
      throw new EngineFailure('disk', 'The cluster is not ready for callers.', { cause })
    }
  }

  async #probe(): Promise<void> {
    try {
      await probe(this.#run, this.#names)
    } catch (cause) {
      this.#failedAt = performance.now()
      this.#onEvent({ type: 'dependency', port: 'engine', cause })
      throw cause
    }
  }
}

/**
 * Runs a statement of the check. A failure of the statement is an outcome; throws when the cluster cannot be reached.
 */
async function outcomeOf(client: TrinoClient, user: string, sql: string): ReturnType<RunAs> {
  const { signal } = new AbortController()
  const times = { signal, queueMs: STATEMENT_MS, timeoutMs: STATEMENT_MS }
  try {
    const rows = await client.rows({ sql, user, source: 'foldgate/0', ...times })
    return { rows, errorName: null }
  } catch (cause) {
    const told = cause instanceof EngineFailure && cause.cause instanceof Error ? cause.cause.message : ''
    const errorName = /^([A-Z][A-Z_]+): /.exec(told)?.[1]
    if (errorName === undefined) throw cause
    return { rows: [], errorName }
  }
}
