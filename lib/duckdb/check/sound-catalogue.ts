import type { Catalogue } from '../../catalogue/catalogue.js'
import type { CatalogueProblem } from '../../catalogue/catalogue-problem.js'
import { SingleFlight } from '../../flow/single-flight.js'
import { EXTRA_FUNCTIONS } from '../../guard/extras.js'
import type { SandboxMode } from '../../sandbox/sandbox.js'
import { checkCatalogue } from './check-catalogue.js'

/** What a process knows of a catalogue: its problems, once a check has ended, and the checks under way. */
interface Known {
  problems: readonly CatalogueProblem[] | null
  readonly checks: SingleFlight<readonly CatalogueProblem[]>
  /** Settles when all checks have ended and their scratch files are gone. */
  over: Promise<unknown>
}

/** Where a catalogue is checked, and until when. */
export interface CheckOptions {
  folder: string
  sandbox: SandboxMode
  signal: AbortSignal
}

const known = new WeakMap<Catalogue, Known>()

/**
 * The problems of a catalogue. A process checks it once; concurrent callers with the same folder share the check, which
 * ends when all of them have left.
 */
export async function problemsOf(
  catalogue: Catalogue,
  { folder, sandbox, signal }: CheckOptions,
): Promise<readonly CatalogueProblem[]> {
  const here = known.get(catalogue) ?? nothingKnown()
  known.set(catalogue, here)
  // Whatever functions the engine of the host lets examples call.
  const options = { folder, sandbox, guard: { functions: [...EXTRA_FUNCTIONS] } }
  here.problems ??= await here.checks.join(folder, { signal }, unwanted => {
    const check = checkCatalogue(catalogue, { ...options, signal: unwanted })
    here.over = Promise.allSettled([here.over, check]).then(() => {})
    return check
  })
  return here.problems
}

/** Spares this process the check of a catalogue that is known to have no mistakes. */
export function knowSound(catalogue: Catalogue): void {
  known.set(catalogue, { ...(known.get(catalogue) ?? nothingKnown()), problems: [] })
}

function nothingKnown(): Known {
  return { problems: null, checks: new SingleFlight({ isAbortedWhenLeft: true }), over: Promise.resolve() }
}

/** Resolves when no check of a catalogue is under way. */
export async function noCheckUnderWay(catalogue: Catalogue): Promise<void> {
  await known.get(catalogue)?.over
}
