import {
  openSandbox,
  SandboxMissing,
  type SandboxMode,
  type SandboxState,
  stateOf,
  WALLS,
} from 'foldgate/internal'
import { Refusal } from '../input/refusal.js'
import type { Log } from '../operation/log.js'

/** Finds the walls that engine processes will run behind. Throws a Refusal when one that is required is missing. */
export async function findWalls(mode: SandboxMode): Promise<SandboxState> {
  const sandbox = await openSandbox(mode).catch(cause => {
    throw cause instanceof SandboxMissing ? new Refusal(cause.message, { cause }) : cause
  })
  return stateOf(sandbox)
}

/** Logs the walls, warns of those that are missing, and returns what it was given. */
export function logWalls(log: Log, mode: SandboxMode, state: SandboxState): SandboxState {
  const { launcher, walls, missing } = state
  const about = { type: 'sandbox', launcher, walls, ...(missing === null ? {} : { missing }) }
  if (missing === null) log.info(about, `engine processes run behind ${launcher}`)
  else if (mode === 'off') log.warn(about, 'engine processes run without a sandbox: it is off')
  else log.warn(about, `engine processes run without these walls: ${lackingOf(state)}. ${missing}`)
  return state
}

function lackingOf({ walls }: SandboxState): string {
  return WALLS.filter(wall => !walls.includes(wall)).join(', ')
}
