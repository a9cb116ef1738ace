import type { SealProblem } from 'foldgate/sealing'
import { Refusal } from '../input/refusal.js'

const MAX_LINES = 30

/** A problem in a package, and where. */
export interface PackageProblem {
  /** Name of the file or table. */
  place: string
  /** Name of the project, for a problem that only one of them has. */
  project?: string
  /** Line number, from 1. */
  line?: number
  column?: string
  message: string
}

/**
 * Creates a Refusal that lists the problems of a package below `heading`, one per line and 30 at most. The
 * `advice` says what is to be done.
 */
export function packageRefusal(
  heading: string,
  problems: readonly PackageProblem[],
  advice = 'correct the files',
): Refusal {
  const lines = [heading, ...problemLines(problems)]
  return new Refusal(`${lines.join('\n')}\nNothing was sealed: ${advice} and run the same command again`)
}

/** Formats problems or warnings, one per line and 30 at most. */
export function problemLines(problems: readonly PackageProblem[]): string[] {
  const lines = problems.slice(0, MAX_LINES).map(({ place, project, line, column, message }) => {
    const parts = [
      place,
      ...(project === undefined ? [] : [`project ${project}`]),
      ...(line === undefined ? [] : [`line ${line}`]),
      ...(column === undefined ? [] : [`column ${column}`]),
    ]
    return `  ${parts.join(', ')}: ${message}`
  })
  return problems.length > MAX_LINES ? [...lines, `  and ${problems.length - MAX_LINES} more`] : lines
}

/** Turns a problem that sealing found into one of a package. */
export function ofTable({ table, column, message }: SealProblem): PackageProblem {
  return { place: table, ...(column === undefined ? {} : { column }), message }
}
