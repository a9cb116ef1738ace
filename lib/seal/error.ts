import type { JobFailure } from '../duckdb/jobs.js'
import { isNoSpace, NoSpace, noSpaceIn } from '../files/no-space.js'
import { whyEnded } from '../flow/death.js'
import { JobFailed, ProcessDied } from '../flow/parent.js'
import type { SealProblem } from '../model.js'
import { OutdatedBase } from '../snapshots/outdated.js'
import { SourceFailed } from '../sources/stored-chunks.js'

const MAX_LINES = 100

/** Thrown when a package has problems; nothing was sealed. */
export class SealError extends Error {
  /** All problems found; `message` lists the first 100, one per line. */
  readonly problems: readonly SealProblem[]

  constructor(problems: readonly SealProblem[]) {
    super(
      listed(problems, ({ table, column, message }) => `${table}${column ? `.${column}` : ''}: ${message}`),
    )
    this.name = 'SealError'
    this.problems = problems
  }
}

/**
 * Thrown when sealing fails for a reason other than the contents of the package, which throw a {@link
 * SealError}.
 */
export class SealerError extends Error {
  /**
   * `catalogue`: the catalogue has mistakes, which the message lists, one per line. `memory`: the tables need more
   * than `memoryLimitBytes`. `disk`: a disk is full; the message names the folder and what is free. `source`: a source
   * of rows has failed, or their folder cannot be listed; the message names the table or the folder. `outdated`: another
   * snapshot of the project was published while rows were to be appended to the one before. `closed`: the sealer was
   * closed. `failed`: anything else, such as a disk that could not be written, or a process that ended, as the
   * message says, also when others killed it or the container had no memory left; see `cause`.
   */
  readonly reason: 'catalogue' | 'memory' | 'disk' | 'source' | 'outdated' | 'closed' | 'failed'

  constructor(reason: SealerError['reason'], message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'SealerError'
    this.reason = reason
  }
}

/** A line for each of the first 100 problems, and one for the number of the others. */
export function listed<Problem>(problems: readonly Problem[], line: (problem: Problem) => string): string {
  const lines = problems.slice(0, MAX_LINES).map(line)
  if (problems.length > MAX_LINES) lines.push(`and ${problems.length - MAX_LINES} more`)
  return lines.join('\n')
}

/** The error of a sealer that was closed. */
export function closedError(): SealerError {
  return new SealerError('closed', 'The sealer is closed.')
}

/** The error for whatever ended a job. */
export async function failureOf(
  cause: unknown,
  { memoryLimitBytes, folders }: { memoryLimitBytes: number; folders: readonly string[] },
): Promise<Error> {
  if (cause instanceof SealError || cause instanceof SealerError || cause instanceof TypeError) return cause
  if (cause instanceof OutdatedBase) return new SealerError('outdated', cause.message, { cause })
  if (cause instanceof SourceFailed) return new SealerError('source', cause.message, { cause: cause.cause })
  const failure = cause instanceof JobFailed ? (cause.failure as JobFailure) : null
  const exit = cause instanceof ProcessDied ? cause.exit : null
  if (failure?.kind === 'memory' || exit?.endedBy === 'memory-limit') {
    const limit = `${memoryLimitBytes / 1024 ** 2} MiB`
    return new SealerError('memory', `The tables do not fit into the ${limit} that sealing may take.`, {
      cause,
    })
  }
  if (isNoSpace(cause) || failure?.isFull) {
    const full = cause instanceof NoSpace ? cause : await noSpaceIn(folders, cause)
    return new SealerError('disk', `${full.message}. Free some, and try again.`, { cause })
  }
  const ended = exit && `its process ${whyEnded(exit)}`
  const why = failure?.text ?? ended ?? (cause instanceof Error ? cause.message : String(cause))
  return new SealerError('failed', `The package could not be sealed: ${why}`, { cause })
}
