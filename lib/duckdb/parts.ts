import { EngineFailure, type EngineHost } from '../engine/port.js'
import type { PortName } from '../events.js'
import { MOST_THREADS } from '../flow/bounds.js'
import { openSandbox, type Sandbox, SandboxMissing, stateOf } from '../sandbox/sandbox.js'
import { childScript } from '../sandbox/script.js'
import { Builder } from './builder.js'
import { RelationCache } from './cache.js'
import { describedRelations, type Guard, openGuard } from './guard.js'
import { type Home, openHome } from './home.js'
import { Pool } from './pool.js'
import type { ResolvedEngine } from './settings.js'
import { MOST_OPEN } from './worker.js'

/** The parts of an engine, which exist once its folder is usable. */
export interface EngineParts {
  home: Home
  pool: Pool
  guard: Guard
  cache: RelationCache
  builder: Builder
  sandbox: Sandbox
  /** Settles when the first worker and the guard are ready or have failed to start. */
  started: Promise<unknown>
}

/** Opens the parts of an engine; throws an {@link EngineFailure} when its folder cannot be used. */
export async function openParts(settings: ResolvedEngine, host: EngineHost): Promise<EngineParts> {
  const down = downOf(host)
  try {
    const home = await openHome(settings.folder, down('engine'))
    return await startParts(home, settings, host).catch(async cause => {
      await home.leave()
      throw cause
    })
  } catch (cause) {
    down('engine')(cause)
    const told =
      cause instanceof SandboxMissing ? 'The sandbox is missing.' : 'The folder of the engine cannot be used.'
    throw new EngineFailure('disk', told, { cause })
  }
}

/** Reports that a part of the engine does not work. */
export function downOf({ onEvent }: EngineHost) {
  return (port: PortName) => (cause: unknown) => onEvent({ type: 'dependency', port, cause })
}

async function startParts(home: Home, settings: ResolvedEngine, host: EngineHost): Promise<EngineParts> {
  const { catalogue, limits, onEvent } = host
  const down = downOf(host)
  const sandbox = await openSandbox(settings.sandbox)
  const { missing, ...walls } = stateOf(sandbox)
  if (settings.sandbox === 'auto' && missing !== null) onEvent({ type: 'sandbox', ...walls, missing })
  const onRemove = (name: string) => void pool.withdraw(name).catch(down('cache'))
  const cache = await RelationCache.open(home.cache, settings.cacheBytes, {
    onFailure: down('cache'),
    onRemove,
  })
  const { threads, memoryLimitBytes, spillBytes } = settings
  const bounds = {
    threads: MOST_THREADS + MOST_OPEN * (threads - 1),
    // A build may fill the cache, and an export has files on its way to another format.
    diskBytes: 2 * spillBytes + settings.cacheBytes + 2 * limits.exportBytes,
  }
  const options = { threads, memoryLimitBytes, spillBytes, sandbox, bounds }
  const pool = new Pool(settings, options, home.scratch, onEvent)
  const guard = openGuard({
    script: childScript('./child/guard-main.js', import.meta.url),
    relations: catalogue.summaries.map(relation => relation.name),
    functions: settings.functions,
    described: describedRelations(catalogue),
    folder: home.scratch,
    sandbox,
    waitMs: limits.connectionWaitMs,
    onDown: down('guard'),
    onDied: detail => onEvent({ type: 'engine', what: 'died', detail }),
  })
  // The next check restarts a guard that could not start; the pool restarts its workers by itself.
  const started = Promise.all([pool.start(), guard.ready().catch(() => {})])
  const builder = new Builder(catalogue, pool, cache, limits, settings.isolation, onEvent)
  return { home, pool, guard, cache, builder, sandbox, started }
}
