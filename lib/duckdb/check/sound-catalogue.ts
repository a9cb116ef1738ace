import type { Catalogue } from '../../catalogue/catalogue.js'
import { SingleFlight } from '../../flow/single-flight.js'
import { EXTRA_FUNCTIONS } from '../../guard/extras.js'
import type { SandboxMode } from '../../sandbox/sandbox.js'
import { SealerError } from '../seal-error.js'
import type { CatalogueProblem } from './catalogue-problem.js'
import { checkCatalogue } from './check-catalogue.js'

/** What a process knows of a catalogue: its problems, once a check has ended, and the check under way. */
interface Known {
  problems: readonly CatalogueProblem[] | null
  readonly checks: SingleFlight<readonly CatalogueProblem[]>
  /** Settles when the last check has ended and its scratch files are gone. */
  over: Promise<unknown>
}

const known = new WeakMap<Catalogue, Known>()
const MOST_LINES = 100

/**
 * Rejects with a {@link SealerError} that lists the problems of a catalogue. A catalogue is checked once in a
 * process; concurrent callers share the check, which ends when all of them have left.
 */
export async function mustBeSound(
  catalogue: Catalogue,
  { folder, sandbox, signal }: { folder: string; sandbox: SandboxMode; signal: AbortSignal },
): Promise<void> {
  const here = known.get(catalogue) ?? {
    problems: null,
    checks: new SingleFlight({ isAbortedWhenLeft: true }),
    over: Promise.resolve(),
  }
  known.set(catalogue, here)
  // Whatever functions the engine of the host lets examples call.
  const options = { folder, sandbox, guard: { functions: [...EXTRA_FUNCTIONS] } }
  here.problems ??= await here.checks.join('', { signal }, unwanted => {
    const check = checkCatalogue(catalogue, { ...options, signal: unwanted })
    here.over = check.catch(() => {})
    return check
  })
  if (here.problems.length === 0) return
  const lines = here.problems.slice(0, MOST_LINES).map(({ place, message }) => `${place}: ${message}`)
  if (here.problems.length > MOST_LINES) lines.push(`and ${here.problems.length - MOST_LINES} more`)
  throw new SealerError('catalogue', `The catalogue has mistakes, so nothing is sealed:\n${lines.join('\n')}`)
}

/** Resolves when no check of a catalogue is under way. */
export async function noCheckUnderWay(catalogue: Catalogue): Promise<void> {
  await known.get(catalogue)?.over
}
