import { EngineFailure } from '../engine/port.js'
import { isNoSpace, noSpaceIn } from '../files/no-space.js'
import { JobFailed, ProcessDied } from '../flow/parent.js'
import type { JobFailure } from './jobs.js'

/** The failure of jobs when the engine is closed. */
export function closed(): EngineFailure {
  return new EngineFailure('cancelled', 'The engine is closed.')
}

/** The failure of a job, whatever it threw; `folder` is named when its disk is full. */
export async function failureOf(cause: unknown, folder: string): Promise<EngineFailure> {
  if (cause instanceof EngineFailure) return cause
  if (isNoSpace(cause)) {
    const full = await noSpaceIn([folder], cause)
    return new EngineFailure('disk', full.message, { cause: full })
  }
  if (cause instanceof JobFailed) {
    const { kind, text, offset, atBinding, isFull, cause: detail } = cause.failure as JobFailure
    if (isFull && kind === 'disk') {
      const full = await noSpaceIn([folder], detail)
      return new EngineFailure(kind, full.message, { cause: full })
    }
    return new EngineFailure(kind, text, { offset, atBinding, cause: detail })
  }
  if (cause instanceof ProcessDied) {
    const kind = cause.exit.outOfMemory ? 'memory' : 'fault'
    return new EngineFailure(kind, 'The query ended its engine process.', { cause, processDied: true })
  }
  return new EngineFailure('fault', 'The engine failed.', { cause })
}
