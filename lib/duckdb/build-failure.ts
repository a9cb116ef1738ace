import { cancelled, EngineFailure } from '../engine/port.js'
import { LastingFailure } from '../errors.js'
import { TimeIsOver } from '../flow/waiting.js'
import type { PlannedRelation } from './plan.js'

/** Maps the failure of a build to a kind that does not blame the caller's statement. */
export function notBuilt(cause: unknown, signal: AbortSignal): EngineFailure {
  if (cause instanceof TimeIsOver)
    return new EngineFailure('building', 'The relations are still being built.', { cause })
  if (signal.aborted) return cancelled()
  if (cause instanceof LastingFailure) throw cause
  if (cause instanceof EngineFailure && AS_IT_IS.has(cause.kind)) return cause
  return new EngineFailure('unbuilt', 'The relations of the query cannot be built.', { cause })
}

const AS_IT_IS: ReadonlySet<string> = new Set(['no-connection', 'cancelled', 'snapshot', 'relation'])

/** The relation whose SQL the engine has refused in a job, and the failure that says so; null for other failures. */
export function refusedBy(steps: readonly PlannedRelation[], cause: unknown) {
  const wrong = isRefused(cause) ? steps.find(({ alias }) => alias === cause.message) : undefined
  if (!wrong) return null
  const told = `The engine refuses the SQL of the relation "${wrong.name}" of the catalogue: ${(cause as EngineFailure).cause}`
  return { wrong, refused: new EngineFailure('relation', told, { cause }) }
}

/** Whether the engine refuses the SQL of a relation. */
export function isRefused(cause: unknown): cause is EngineFailure {
  return cause instanceof EngineFailure && cause.kind === 'relation'
}
